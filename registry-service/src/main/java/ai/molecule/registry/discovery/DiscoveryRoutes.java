package ai.molecule.registry.discovery;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Bearer;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.Edge;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.json.Json;
import ai.molecule.registry.discovery.DiscoveryService.Discovered;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Optional;

/** {@code /registry/discover/:id}, {@code /registry/:id/peers} and {@code /registry/check-access}. */
public record DiscoveryRoutes(DiscoveryService discovery, Edge edge) {

    /** Lists that would be longer leave out the cards of whoever comes later. */
    private static final int CARDS_MAX_BYTES = 4 * 1024 * 1024;

    /** For the workspace in {@code X-Workspace-ID} {@code {"id", "name", "url", "token", "expires_at"}}, the last two with an address of the peer's own; for an administrator {@code {"id", "url", "status"}}. */
    public void discover(RoutingContext ctx) {
        String target = ctx.pathParam("id");
        String bearer = Bearer.of(ctx.request());
        String caller = ctx.request().getHeader("X-Workspace-ID");
        if (caller != null && !caller.isEmpty()) {
            Answers.json(
                    ctx,
                    discovery
                            .discover(caller, target, bearer, edge.originOf(ctx.request()))
                            .map(DiscoveryRoutes::forAgent));
        } else if (bearer != null) {
            Answers.json(ctx, discovery.discoverAsAdmin(target, bearer).map(DiscoveryRoutes::forAdmin));
        } else {
            ctx.fail(DiscoveryService.headerRequired());
        }
    }

    /** An array; {@code ?q=} keeps those whose name or role contains it. */
    public void peers(RoutingContext ctx) {
        var id = Ids.find(ctx.pathParam("id")).orElseThrow(() -> ApiError.notFound("workspace not found"));
        var filter = Optional.ofNullable(ctx.request().getParam("q")).map(String::trim);
        var found = discovery.peers(id, filter.filter(text -> !text.isEmpty()), Bearer.of(ctx.request()));
        found.onSuccess(peers -> Answers.bytes(ctx, 200, array(peers))).onFailure(ctx::fail);
    }

    /** {@code {"caller_id", "target_id"}} → {@code {"allowed"}}. */
    public void checkAccess(RoutingContext ctx) {
        var body = JsonBody.of(ctx, "invalid request body");
        var allowed = discovery.mayTalk(Caller.of(ctx), body.requiredText("caller_id"), body.requiredText("target_id"));
        Answers.json(ctx, allowed.map(may -> Json.object().put("allowed", may)));
    }

    private static ObjectNode forAgent(Discovered found) {
        var body = Json.object()
                .put("id", found.target().id().toString())
                .put("name", found.target().name())
                .put("url", found.url());
        found.token()
                .ifPresent(token -> body.put("token", token.token()).put("expires_at", Json.time(token.expiresAt())));
        return body;
    }

    private static ObjectNode forAdmin(Discovered found) {
        return Json.object()
                .put("id", found.target().id().toString())
                .put("url", found.url())
                .put("status", found.target().status().wire());
    }

    private static Buffer array(List<PeerEntry> peers) {
        int length = peers.stream().mapToInt(peer -> peer.json().length + 1).sum() + 2;
        var array = Buffer.buffer(Math.min(length, CARDS_MAX_BYTES)).appendByte((byte) '[');
        for (var peer : peers) {
            if (array.length() > 1) {
                array.appendByte((byte) ',');
            }
            array.appendBytes(array.length() + peer.json().length > CARDS_MAX_BYTES ? peer.withoutCard() : peer.json());
        }
        return array.appendByte((byte) ']');
    }
}
