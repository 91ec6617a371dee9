package ai.molecule.proxy.policy;

import ai.molecule.common.ApiError;
import ai.molecule.common.activity.ActivityRow;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.hints.PolicyChanged;
import ai.molecule.common.bus.hints.WorkspaceChanged;
import ai.molecule.common.bus.registry.JudgeCall;
import ai.molecule.common.bus.registry.JudgeCall.Verdict;
import ai.molecule.common.bus.registry.JudgeCall.Verdicts;
import ai.molecule.common.bus.registry.ResolveRoute.Route;
import ai.molecule.common.cache.BriefCache;
import ai.molecule.proxy.activity.ActivityWriter;
import ai.molecule.proxy.activity.RowIds;
import ai.molecule.proxy.routes.RouteBook;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Has calls judged by the rules of the policy, where there are any: without one nothing is asked. The registry's answers are believed for
 * 2 s, and until a rule or a workspace changes. What a rule says against a call is a row of activity, one a minute of those alike. Where
 * nobody can tell, a call is not made. To be used on one event loop.
 */
public final class PolicyBook {

    private static final Duration BELIEVED = Duration.ofSeconds(2);
    private static final Duration NOTED = Duration.ofMinutes(1);

    /** About 300 bytes each. */
    private static final int ENTRIES_MAX = 50_000;

    private static final int NOTED_MAX = 10_000;

    private record Note(JudgeCall call, String rule, String of, boolean enforced) {}

    private final Bus bus;
    private final RouteBook routes;
    private final ActivityWriter activity;
    private final RowIds ids;
    private final Clock clock;
    private final BriefCache<JudgeCall, Verdicts> verdicts = new BriefCache<>(BELIEVED, ENTRIES_MAX);
    private final Cache<Note, Boolean> noted = Caffeine.newBuilder()
            .maximumSize(NOTED_MAX)
            .expireAfterWrite(NOTED)
            .executor(Runnable::run)
            .build();

    public PolicyBook(Bus bus, RouteBook routes, ActivityWriter activity, RowIds ids, Clock clock) {
        this.bus = bus;
        this.routes = routes;
        this.activity = activity;
        this.ids = ids;
        this.clock = clock;
        bus.listen(PolicyChanged.HINT, changed -> verdicts.clear());
        bus.listen(WorkspaceChanged.HINT, changed -> verdicts.clear());
    }

    /**
     * For a message that the org chart allows.
     *
     * @param caller null for a person
     * @param body the request, which is read only where there are rules
     * @return fails with FORBIDDEN, which names the rule, and with UNAVAILABLE where nobody can tell
     */
    public Future<Void> check(Route route, @Nullable UUID caller, UUID target, byte[] body) {
        return route.governed()
                ? obeyed(new JudgeCall(caller, target, AskedMethod.of(body), ""))
                : Future.succeededFuture();
    }

    /** Why a workspace may not call a tool of the platform; empty where it may. Fails with UNAVAILABLE where nobody can tell. */
    public Future<Optional<String>> refusal(UUID caller, String tool) {
        String name = tool.length() <= JudgeCall.NAME_MAX_CHARS ? tool : tool.substring(0, JudgeCall.NAME_MAX_CHARS);
        return routes.resolve(caller, null)
                .compose(route -> route.governed()
                        ? judged(new JudgeCall(caller, null, JudgeCall.TOOL_CALL, name))
                        : Future.succeededFuture(Optional.empty()));
    }

    private Future<Void> obeyed(JudgeCall call) {
        return judged(call).map(refusal -> {
            refusal.ifPresent(why -> {
                throw ApiError.forbidden(why);
            });
            return null;
        });
    }

    private Future<Optional<String>> judged(JudgeCall call) {
        return verdicts.get(call, asked -> bus.call(JudgeCall.CONTRACT, asked)).map(said -> {
            said.verdicts().forEach(verdict -> note(call, verdict));
            return said.verdicts().stream()
                    .filter(Verdict::enforced)
                    .findFirst()
                    .map(Verdict::sentence);
        });
    }

    private void note(JudgeCall call, Verdict verdict) {
        var note = new Note(call, verdict.rule(), verdict.of(), verdict.enforced());
        var about = call.target() == null ? call.caller() : call.target();
        if (about == null || noted.asMap().putIfAbsent(note, true) != null) {
            return;
        }
        activity.add(
                new ActivityRow(
                        ids.next(),
                        about,
                        "policy",
                        call.caller(),
                        call.target(),
                        call.tool().isEmpty() ? call.method() : call.method() + " " + call.tool(),
                        verdict.sentence(),
                        null,
                        null,
                        null,
                        null,
                        verdict.enforced() ? "refused" : "observed",
                        null,
                        null,
                        null,
                        clock.instant(),
                        true),
                Future.succeededFuture());
    }
}
