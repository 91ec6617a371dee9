package ai.molecule.proxy.tasks;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.UUID;

/** Tasks of one workspace as {@code GET /workspaces/:id/tasks} lists them, newest first. */
final class PgTaskList {

    private static final String LIST = """
            SELECT id, caller_id, work_id, message_id, preview, status, started_at, ended_at FROM tasks
            WHERE workspace_id = $1 AND ($2::boolean OR ended_at IS NOT NULL)
            ORDER BY started_at DESC, id LIMIT $3
            """;

    private final Pool pool;

    PgTaskList(Pool pool) {
        this.pool = pool;
    }

    /** @param running whether those are listed too that have not ended */
    Future<ArrayNode> of(UUID workspace, boolean running, int limit) {
        return pool.preparedQuery(LIST)
                .execute(Tuple.of(workspace, running, limit))
                .map(rows -> {
                    var list = Json.MAPPER.createArrayNode();
                    rows.forEach(row -> list.add(entry(row)));
                    return list;
                });
    }

    private static ObjectNode entry(Row row) {
        var caller = row.getUUID("caller_id");
        var work = row.getUUID("work_id");
        var ended = row.getOffsetDateTime("ended_at");
        return Json.object()
                .put("id", row.getUUID("id").toString())
                .put("caller_id", caller == null ? null : caller.toString())
                .put("work_id", work == null ? null : work.toString())
                .put("message_id", row.getString("message_id"))
                .put("preview", row.getString("preview"))
                .put("status", row.getString("status"))
                .put("started_at", Json.time(row.getOffsetDateTime("started_at").toInstant()))
                .put("ended_at", Json.timeOrNull(ended == null ? null : ended.toInstant()));
    }
}
