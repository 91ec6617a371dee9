package ai.molecule.registry.workspaces;

import ai.molecule.common.bus.proxy.RunningWith;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a move would change, read before it.
 *
 * @param gains with whom the workspace could then talk and cannot now
 * @param loses with whom it can now and could no longer
 * @param gainsSecrets keys of global secrets that its branch would be told
 * @param losesSecrets keys it would be told no more
 * @param wouldStop what runs between it and those it loses; null while the proxy does not answer
 */
record Move(
        UUID workspaceId,
        @Nullable UUID parentId,
        Others gains,
        Others loses,
        List<String> gainsSecrets,
        List<String> losesSecrets,
        @Nullable List<RunningWith.One> wouldStop) {

    /** @param listed the first of them by name, at most {@link PgMoves#LISTED_MAX} */
    record Others(int count, List<Other> listed) {}

    record Other(UUID id, String name, @Nullable String role) {}

    ObjectNode toJson(boolean dryRun) {
        var body = Json.object()
                .put("workspace_id", workspaceId.toString())
                .put("parent_id", parentId == null ? null : parentId.toString())
                .put("dry_run", dryRun);
        body.set("gains", toJson(gains));
        body.set("loses", toJson(loses));
        body.set("gains_secrets", Json.MAPPER.valueToTree(gainsSecrets));
        body.set("loses_secrets", Json.MAPPER.valueToTree(losesSecrets));
        body.set("would_stop", wouldStop == null ? Json.MAPPER.nullNode() : running(wouldStop));
        return body;
    }

    private static ObjectNode toJson(Others others) {
        var body = Json.object().put("count", others.count);
        var list = body.putArray("workspaces");
        others.listed.forEach(other -> list.addObject()
                .put("id", other.id.toString())
                .put("name", other.name)
                .put("role", other.role));
        return body;
    }

    private static ArrayNode running(List<RunningWith.One> running) {
        var list = Json.MAPPER.createArrayNode();
        running.forEach(one -> list.addObject()
                .put("id", one.id().toString())
                .put("kind", one.kind())
                .put("source_id", one.sourceId().toString())
                .put("target_id", one.targetId().toString())
                .put("preview", one.preview())
                .put("started_at", Json.time(one.startedAt())));
        return list;
    }
}
