package ai.molecule.events.sockets;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.config.PlatformConfig;
import ai.molecule.events.hub.Audience;
import io.vertx.core.Future;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Who may open a socket, and what it will be shown (decision 17). */
public final class SocketGate {

    private final PlatformConfig config;
    private final Guards guards;
    private final TicketService tickets;

    public SocketGate(PlatformConfig config, Guards guards, TicketService tickets) {
        this.config = config;
        this.guards = guards;
        this.tickets = tickets;
    }

    /**
     * Whom a socket was opened for.
     *
     * @param again asks whether it would still be opened; null for what was let in without any credential, and for good
     */
    record Admitted(Audience audience, @Nullable Supplier<Future<Caller>> again) {}

    /** The canvas: the open hatch, an admin or org bearer, or a ticket, which stands for the bearer that asked for it. */
    Future<Admitted> canvas(@Nullable String bearer, @Nullable String ticket) {
        if (ticket == null || config.hatchOpen()) {
            return bearer == null
                    ? guards.admin(null).map(caller -> new Admitted(new Audience.Everything(), null))
                    : canvas(() -> guards.admin(bearer));
        }
        return tickets.redeem(ticket)
                .compose(issuer -> issuer.isEmpty()
                        ? Future.succeededFuture(new Admitted(new Audience.Everything(), null))
                        : canvas(() -> guards.adminByHash(issuer.get())));
    }

    private static Future<Admitted> canvas(Supplier<Future<Caller>> question) {
        return question.get().map(caller -> new Admitted(new Audience.Everything(), question));
    }

    /**
     * An agent: its own token when it has live ones. A proven agent may come from any Origin, because no web page can send what
     * it sent; an unproven one only from a permitted one.
     */
    Future<Admitted> agent(UUID workspaceId, @Nullable String bearer, boolean originPermitted) {
        Supplier<Future<Caller>> question = () -> guards.ownToken(bearer, workspaceId);
        return question.get().map(caller -> {
            boolean proven = caller.kind() == Caller.Kind.WORKSPACE;
            if (!proven && !originPermitted) {
                throw ApiError.forbidden("origin not allowed");
            }
            return new Admitted(
                    new Audience.Agent(workspaceId),
                    proven ? () -> question.get().map(SocketGate::stillProven) : question);
        });
    }

    /** An agent without any live token need not show one. But a connected agent that lost its last token has still lost its access. */
    private static Caller stillProven(Caller now) {
        if (now.kind() != Caller.Kind.WORKSPACE) {
            throw ApiError.unauthenticated("invalid workspace auth token");
        }
        return now;
    }
}
