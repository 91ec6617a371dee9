package ai.molecule.registry.memories;

import ai.molecule.common.auth.Caller;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.http.PathIds;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.ext.web.RoutingContext;
import java.util.UUID;

/** {@code /workspaces/:id/memories}. */
public record MemoryRoutes(MemoryService memories) {

    /** 201 {@code {"id", "scope", "namespace"}}. */
    public void commit(RoutingContext ctx) {
        var id = PathIds.workspace(ctx);
        var memory = NewMemory.of(JsonBody.of(ctx, "invalid request body"), UUID.randomUUID());
        Answers.json(ctx, 201, memories.commit(Caller.of(ctx), id, memory).map(MemoryRoutes::committed));
    }

    /** {@code ?scope=&q=&namespace=&limit=1..50} → a bare array. */
    public void list(RoutingContext ctx) {
        var request = ctx.request();
        var query = MemoryQuery.of(
                PathIds.workspace(ctx),
                request.getParam("scope"),
                request.getParam("q"),
                request.getParam("namespace"),
                request.getParam("limit"));
        Answers.json(ctx, memories.list(Caller.of(ctx), query).map(found -> Answers.array(found, Memory::toJson)));
    }

    public void delete(RoutingContext ctx) {
        var workspaceId = PathIds.workspace(ctx);
        var memoryId = Ids.find(ctx.pathParam("memoryId")).orElseThrow(MemoryService::notOwned);
        Answers.json(
                ctx,
                memories.delete(workspaceId, memoryId).map(done -> Json.object().put("status", "deleted")));
    }

    private static ObjectNode committed(NewMemory memory) {
        return Json.object()
                .put("id", memory.id().toString())
                .put("scope", memory.scope().name())
                .put("namespace", memory.namespace());
    }
}
