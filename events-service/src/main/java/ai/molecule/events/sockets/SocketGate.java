package ai.molecule.events.sockets;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.auth.Credentials;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.auth.Person;
import ai.molecule.common.auth.Role;
import ai.molecule.common.auth.Tokens;
import ai.molecule.common.bus.registry.VerifyToken;
import ai.molecule.common.config.Door;
import ai.molecule.common.config.PlatformConfig;
import ai.molecule.events.hub.Audience;
import ai.molecule.events.hub.PeerAddresses;
import io.vertx.core.Future;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Who may open a socket, and what it will be shown (decision 17). Whoever shows a workspace's bearer is that workspace, with a header or without. */
public record SocketGate(PlatformConfig config, Guards guards, TicketService tickets, PeerAddresses addresses) {

    private static final String ANYBODY = "-";

    /**
     * Whom a socket was opened for.
     *
     * @param workspaceId of an agent; null for a canvas
     * @param credential what its connections count under: the workspace, else a hash of what was shown
     * @param again asks whether it would still be opened; null for what was let in without any credential, and for good
     */
    record Admitted(
            Audience audience,
            @Nullable UUID workspaceId,
            String credential,
            @Nullable Supplier<Future<Caller>> again) {}

    /** @param originPermitted whether a page of this Origin may open one without proof */
    Future<Admitted> admit(SocketRequest asked, boolean originPermitted) {
        String hash = asked.bearer() == null ? null : Credentials.hashOf(asked.bearer());
        String ticket = asked.ticket();
        var agent = asked.workspaceId();
        if (agent != null) {
            return named(agent, asked.bearer(), originPermitted);
        }
        return ticket == null ? shown(hash) : redeemed(ticket, hash);
    }

    /** A ticket stands for the bearer that asked for it. Where the hatch is open nobody needs one, so one that is worth nothing is none. */
    private Future<Admitted> redeemed(String ticket, @Nullable String bearerHash) {
        return tickets.redeem(ticket)
                .compose(
                        issuer ->
                                issuer.isEmpty() ? Future.succeededFuture(canvas(ANYBODY, null)) : shown(issuer.get()),
                        refused -> config.hatchOpen() ? shown(bearerHash) : Future.failedFuture(refused));
    }

    /** @param hash of the bearer; null for none */
    private Future<Admitted> shown(@Nullable String hash) {
        if (hash == null) {
            return guards.admin(null, Role.VIEWER).map(caller -> canvas(ANYBODY, null));
        }
        Supplier<Future<Caller>> person = () -> guards.adminByHash(hash, Role.VIEWER);
        if (isAdmin(hash)) {
            return person.get().map(caller -> canvas(hash, person));
        }
        return guards.credentials().verify(new VerifyToken(hash, null)).compose(verdict -> {
            var holder = verdict.workspaceHolder();
            var branches = branchesOf(verdict.person());
            if (!branches.isEmpty() && !config.hatchOpen()) {
                return Future.succeededFuture(ofBranches(branches, hash));
            }
            return holder == null ? person.get().map(caller -> canvas(hash, person)) : proven(holder, hash);
        });
    }

    /**
     * An agent that says who it is: by its own token when it has live ones. A proven agent may come from any Origin, because no web
     * page can send what it sent; an unproven one only from a permitted one, and only where {@link Door#SOCKETS} is open.
     */
    private Future<Admitted> named(UUID workspaceId, @Nullable String bearer, boolean originPermitted) {
        Supplier<Future<Caller>> question = () -> guards.ownToken(bearer, workspaceId);
        return question.get().compose(caller -> {
            if (caller.kind() == Caller.Kind.WORKSPACE && bearer != null) {
                return proven(workspaceId, Credentials.hashOf(bearer));
            }
            if (!config.isOpen(Door.SOCKETS)) {
                throw Guards.refusal(bearer);
            }
            if (!originPermitted) {
                throw ApiError.forbidden("origin not allowed");
            }
            return Future.succeededFuture(agent(workspaceId, question));
        });
    }

    /** An agent without any live token need not show one. But a connected agent that lost its last token has still lost its access. */
    private Future<Admitted> proven(UUID workspaceId, String hash) {
        Supplier<Future<Caller>> question = () -> guards.credentials()
                .verify(new VerifyToken(hash, workspaceId))
                .compose(verdict -> workspaceId.equals(verdict.workspaceHolder())
                        ? Caller.workspace(verdict).refuseSuspended()
                        : Future.failedFuture(ApiError.unauthenticated("invalid workspace auth token")));
        return question.get().map(caller -> agent(workspaceId, question));
    }

    /** Somebody with a role for branches only, for as long as it is for these. */
    private Admitted ofBranches(Set<UUID> branches, String hash) {
        Supplier<Future<Caller>> question =
                () -> guards.credentials().verify(new VerifyToken(hash, null)).map(verdict -> {
                    var person = verdict.person();
                    if (person == null || !branchesOf(person).equals(branches)) {
                        throw ApiError.unauthenticated("invalid admin auth token");
                    }
                    return Caller.person(person, Role.VIEWER);
                });
        return new Admitted(new Audience.Branches(branches), null, hash, question);
    }

    private static Set<UUID> branchesOf(@Nullable Person person) {
        return person == null || person.organisation() != null ? Set.of() : Set.copyOf(person.branches());
    }

    private boolean isAdmin(String hash) {
        String adminToken = config.adminToken();
        return adminToken != null && Tokens.same(hash, Credentials.hashOf(adminToken));
    }

    private static Admitted canvas(String credential, @Nullable Supplier<Future<Caller>> again) {
        return new Admitted(new Audience.Everything(), null, credential, again);
    }

    private Admitted agent(UUID workspaceId, Supplier<Future<Caller>> again) {
        return new Admitted(new Audience.Agent(workspaceId, addresses), workspaceId, workspaceId.toString(), again);
    }
}
