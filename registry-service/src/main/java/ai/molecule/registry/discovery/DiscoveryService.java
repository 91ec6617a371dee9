package ai.molecule.registry.discovery;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.auth.Role;
import ai.molecule.common.bus.registry.IssuePairToken;
import ai.molecule.common.net.SafeDialer;
import ai.molecule.common.workspaces.AccessRule;
import ai.molecule.registry.keys.PairTokens;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Who may talk to whom, and where they are.
 *
 * @param dialer with the address rules for dialling; nothing is dialled here
 */
public record DiscoveryService(
        PgDiscoveryStore store,
        PeerBook peers,
        Guards guards,
        SafeDialer dialer,
        FrontDoorAddress frontDoor,
        PairTokens pairTokens) {

    /**
     * What a caller learns.
     *
     * @param token what proves at the target who calls; empty where the address is the platform's, for administrators, and while there is no
     *     key to sign it with
     */
    public record Discovered(Location target, String url, Optional<IssuePairToken.Issued> token) {}

    /**
     * For one workspace asking for another; ids that are no UUIDs are unknown workspaces.
     *
     * @param platform where the caller reached the platform
     */
    Future<Discovered> discover(String callerText, String targetText, @Nullable String bearer, String platform) {
        var caller = Ids.find(callerText);
        var target = Ids.find(targetText);
        if (caller.isEmpty() || target.isEmpty()) {
            return Future.failedFuture(
                    callerText.equals(targetText)
                            ? ApiError.notFound("workspace not found")
                            : ApiError.forbidden("not authorized to discover this workspace"));
        }
        return guards.discovery(bearer, caller.get())
                .compose(Caller::refuseSuspended)
                .compose(admitted -> store.locate(List.of(caller.get(), target.get())))
                .map(located -> reach(caller.get(), target.get(), located))
                .compose(outcome -> frontDoor.only()
                        ? Future.succeededFuture(frontDoor.addressOf(target.get(), platform))
                                .map(url -> new Discovered(outcome.target, url, Optional.empty()))
                        : permit(outcome).map(url -> found(caller.get(), outcome, url)));
    }

    /** For an administrator, who is told the host's URL whatever the status (decision 21). */
    Future<Discovered> discoverAsAdmin(String targetText, String bearer) {
        return guards.admin(bearer, Role.VIEWER)
                .recover(refused -> Future.failedFuture(headerRequired()))
                .compose(caller -> caller.isAdministrator() || caller.role() != null
                        ? locateOne(targetText)
                        : Future.failedFuture(headerRequired()))
                .map(location -> new Discovered(location, location.url(), Optional.empty()));
    }

    /** Serves {@link IssuePairToken}. */
    public Future<IssuePairToken.Issued> pairToken(IssuePairToken question) {
        var caller = question.caller();
        var target = question.target();
        return store.locate(caller == null ? List.of(target) : List.of(caller, target))
                .map(located -> {
                    if (caller != null && !caller.equals(target) && !related(caller, target, located)) {
                        throw ApiError.forbidden("not authorized to discover this workspace");
                    }
                    var to = located.get(target);
                    if (to == null) {
                        throw ApiError.notFound("workspace not found");
                    }
                    return pairTokens
                            .issue(caller, target, true, to.branchVersion())
                            .orElseThrow(() -> ApiError.unavailable("the organisation's key is not known yet"));
                });
    }

    Future<List<PeerEntry>> peers(UUID id, Optional<String> filter, @Nullable String bearer) {
        return guards.discovery(bearer, id)
                .compose(Caller::refuseSuspended)
                .compose(admitted -> peers.of(id))
                .map(found -> found.orElseThrow(() -> ApiError.notFound("workspace not found")))
                .map(near -> filter.map(text -> matching(near, text)).orElse(near));
    }

    /** Of the workspaces of another tenant an agent that asks is told what it is told of unknown ones. */
    Future<Boolean> mayTalk(Caller asking, String callerText, String targetText) {
        var caller = Ids.find(callerText);
        var target = Ids.find(targetText);
        if (caller.isEmpty() || target.isEmpty() || caller.equals(target)) {
            return Future.succeededFuture(
                    callerText.equals(targetText) || (caller.isPresent() && caller.equals(target)));
        }
        return new Strangers(store)
                .areTo(asking, caller.get())
                .compose(strangers -> strangers
                        ? Future.succeededFuture(false)
                        : store.locate(List.of(caller.get(), target.get()))
                                .map(located -> related(caller.get(), target.get(), located)));
    }

    static ApiError headerRequired() {
        return ApiError.invalid("X-Workspace-ID header is required");
    }

    private record Outcome(Location target, Reach reach) {}

    private static Outcome reach(UUID caller, UUID target, Map<UUID, Location> located) {
        if (!caller.equals(target) && !related(caller, target, located)) {
            throw ApiError.forbidden("not authorized to discover this workspace");
        }
        var from = located.get(caller);
        var to = located.get(target);
        if (from == null || to == null) {
            throw ApiError.notFound("workspace not found");
        }
        return new Outcome(to, Reach.of(from, to));
    }

    private Discovered found(UUID caller, Outcome outcome, String url) {
        var target = outcome.target;
        return new Discovered(target, url, pairTokens.issue(caller, target.id(), false, target.branchVersion()));
    }

    private Future<String> permit(Outcome outcome) {
        String found = outcome.reach.url();
        if (outcome.reach.check().isEmpty()) {
            return Future.succeededFuture(found);
        }
        return dialer.permits(outcome.reach.check())
                .compose(permitted -> permitted
                        ? Future.succeededFuture(found)
                        : Future.failedFuture(ApiError.unavailable("workspace URL failed safety check")));
    }

    private Future<Location> locateOne(String targetText) {
        var id = Ids.find(targetText);
        if (id.isEmpty()) {
            return Future.failedFuture(ApiError.notFound("workspace not found"));
        }
        return store.locate(List.of(id.get()))
                .map(located -> Optional.ofNullable(located.get(id.get()))
                        .orElseThrow(() -> ApiError.notFound("workspace not found")));
    }

    private static List<PeerEntry> matching(List<PeerEntry> peers, String text) {
        return peers.stream().filter(peer -> peer.matches(text)).toList();
    }

    private static boolean related(UUID caller, UUID target, Map<UUID, Location> located) {
        var from = located.get(caller);
        var to = located.get(target);
        return from != null
                && to != null
                && from.trusted()
                && to.trusted()
                && AccessRule.related(caller, from.circle(), target, to.circle());
    }
}
