package ai.molecule.provisioner.notices;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.db.Postgres;
import ai.molecule.common.events.EventLog;
import ai.molecule.common.testing.TestStores;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class TellingNoticesTest {

    @Test
    void privileges_that_an_agent_does_not_get_are_an_event(Vertx vertx) {
        var database = TestStores.freshDatabase();
        Postgres.migrate(vertx, database, "log").await();
        var pool = Postgres.pool(vertx, database, "log");
        var id = UUID.randomUUID();

        new PgNoticeStore(pool, new EventLog(new Bus(vertx)))
                .privilegesWithheld(id, 3, "not allowed here")
                .await();

        var event = pool.query("SELECT event_type, workspace_id, payload FROM log.events")
                .execute()
                .await()
                .iterator()
                .next();
        assertThat(event.getString("event_type")).isEqualTo("WORKSPACE_PRIVILEGES_WITHHELD");
        assertThat(event.getUUID("workspace_id")).isEqualTo(id);
        assertThat(event.get(JsonObject.class, "payload"))
                .isEqualTo(new JsonObject().put("level", "WARN").put("tier", 3).put("reason", "not allowed here"));
        pool.close().await();
    }
}
