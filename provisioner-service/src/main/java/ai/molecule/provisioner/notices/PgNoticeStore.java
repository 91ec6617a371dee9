package ai.molecule.provisioner.notices;

import ai.molecule.common.events.EventLog;
import ai.molecule.common.json.Json;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import java.util.UUID;

/** {@link NoticeStore} on the event log. */
public record PgNoticeStore(Pool pool, EventLog log) implements NoticeStore {

    @Override
    public Future<Void> privilegesWithheld(UUID workspaceId, int tier, String reason) {
        var payload = Json.object().put("level", "WARN").put("tier", tier).put("reason", reason);
        return log.append(pool, "WORKSPACE_PRIVILEGES_WITHHELD", workspaceId, payload)
                .onSuccess(appended -> log.committed());
    }
}
