package ai.molecule.events.sockets;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Bearer;
import ai.molecule.common.auth.Ids;
import ai.molecule.events.log.LogPage;
import io.vertx.core.http.HttpServerRequest;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a client says when it opens a socket.
 *
 * @param workspaceId {@code X-Workspace-ID}; null for the canvas
 * @param ticket {@code ?ticket=}
 * @param since {@code ?since=}, the last position the client has seen; null to start with what happens next
 */
record SocketRequest(
        @Nullable UUID workspaceId,
        @Nullable String bearer,
        @Nullable String ticket,
        @Nullable Long since) {

    /** INVALID for anything that is no WebSocket handshake, and for a bad id or position. */
    static SocketRequest of(HttpServerRequest request) {
        boolean handshake = "websocket".equalsIgnoreCase(request.getHeader("Upgrade"))
                && "13".equals(request.getHeader("Sec-WebSocket-Version"))
                && request.getHeader("Sec-WebSocket-Key") != null;
        if (!handshake) {
            throw ApiError.invalid("websocket upgrade required");
        }
        String workspace = request.getHeader("X-Workspace-ID");
        return new SocketRequest(
                workspace == null || workspace.isEmpty() ? null : idOf(workspace),
                Bearer.of(request),
                request.getParam("ticket"),
                LogPage.number("since", 0, request::getParam));
    }

    private static UUID idOf(String text) {
        return Ids.find(text).orElseThrow(() -> ApiError.invalid("invalid workspace ID"));
    }
}
