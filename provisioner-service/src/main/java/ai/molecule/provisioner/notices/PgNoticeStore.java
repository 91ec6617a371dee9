package ai.molecule.provisioner.notices;

import ai.molecule.common.events.EventLog;
import ai.molecule.common.json.Json;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import java.util.UUID;

/** {@link NoticeStore} on the event log. */
public final class PgNoticeStore implements NoticeStore {

    private final Pool pool;
    private final EventLog log;

    public PgNoticeStore(Pool pool, EventLog log) {
        this.pool = pool;
        this.log = log;
    }

    @Override
    public Future<Void> privilegesWithheld(UUID workspaceId, int tier, String reason) {
        var payload = Json.object().put("level", "WARN").put("tier", tier).put("reason", reason);
        return log.append(pool, "WORKSPACE_PRIVILEGES_WITHHELD", workspaceId, payload)
                .onSuccess(appended -> log.committed());
    }
}
