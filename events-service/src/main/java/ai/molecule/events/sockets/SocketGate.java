package ai.molecule.events.sockets;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.config.PlatformConfig;
import ai.molecule.events.hub.Audience;
import io.vertx.core.Future;
import java.util.UUID;
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

    /** The canvas: the open hatch, an admin or org bearer, or a ticket. */
    Future<Audience> canvas(@Nullable String bearer, @Nullable String ticket) {
        Future<?> admitted = ticket == null || config.hatchOpen() ? guards.admin(bearer) : tickets.redeem(ticket);
        return admitted.map(caller -> new Audience.Everything());
    }

    /**
     * An agent: its own token when it has live ones. A proven agent may come from any Origin, because no web page can send what
     * it sent; an unproven one only from a permitted one.
     */
    Future<Audience> agent(UUID workspaceId, @Nullable String bearer, boolean originPermitted) {
        return guards.ownToken(bearer, workspaceId).map(caller -> {
            if (caller.kind() != Caller.Kind.WORKSPACE && !originPermitted) {
                throw ApiError.forbidden("origin not allowed");
            }
            return new Audience.Agent(workspaceId);
        });
    }
}
