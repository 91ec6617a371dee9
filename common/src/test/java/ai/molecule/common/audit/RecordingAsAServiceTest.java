package ai.molecule.common.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.common.db.Sql;
import ai.molecule.common.json.Json;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.common.testing.TestConfig;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A service's role, which may use the log's schema and none of its tables (ADR 23), on a table with a trigger that records. */
@ExtendWith(VertxExtension.class)
class RecordingAsAServiceTest {

    private final String role = "recording_" + UUID.randomUUID().toString().substring(0, 8);

    @SuppressWarnings("NullAway.Init")
    private ServiceContext service;

    @BeforeEach
    void makeARoleAndATable(Vertx vertx) {
        service = ServiceContext.open(vertx, TestConfig.platform(), "recording").await();
        owner("CREATE ROLE " + role + " NOLOGIN");
        owner("GRANT USAGE ON SCHEMA log, recording TO " + role);
        owner("CREATE TABLE things (id uuid, name text, hidden text, whose bytea)");
        owner("GRANT ALL ON things TO " + role);
        owner("""
                CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON things FOR EACH ROW
                EXECUTE FUNCTION log.audit_change('thing', 'whose', 'id', 'name', 'name=lost:lost', 'name:named')
                """);
    }

    @AfterEach
    void close() {
        owner("DROP TABLE things");
        owner("REVOKE USAGE ON SCHEMA log, recording FROM " + role);
        owner("DROP ROLE " + role);
        service.close().await();
    }

    @Test
    void its_changes_are_recorded_as_the_platforms_with_what_may_be_told() {
        as("INSERT INTO things VALUES (gen_random_uuid(), 'one', 'a secret', '\\x0123456789abcdef')");
        as("UPDATE things SET name = 'two'");
        as("UPDATE things SET name = 'lost', hidden = 'another secret'");
        as("DELETE FROM things");

        assertThat(recorded())
                .extracting(row -> row.path("verb").asText())
                .containsExactly("thing.created", "thing.named", "thing.lost", "thing.deleted");
        assertThat(recorded())
                .extracting(row -> row.path("detail").toString())
                .containsExactly(
                        "{\"name\":\"one\"}", "{\"name\":[\"one\",\"two\"]}", "{\"name\":[\"two\",\"lost\"]}", "");
        assertThat(recorded()).extracting(row -> row.path("object").asText()).containsOnly("01234567");
        assertThat(recorded())
                .extracting(row -> row.path("actor").toString())
                .containsOnly("{\"kind\":\"platform\",\"name\":\"molecule-recording\"}");
        assertThat(recorded().toString()).doesNotContain("secret");
    }

    @Test
    void it_reads_and_writes_the_record_in_no_other_way() {
        for (String statement : List.of(
                "SELECT entry FROM log.audit",
                "INSERT INTO log.audit (at, entry) VALUES (now(), '{}')",
                "DELETE FROM log.audit",
                "UPDATE log.audit_chain SET seq = 7",
                "SELECT log.link_audit(gen_random_uuid(), 1)")) {
            assertThatThrownBy(() -> as(statement)).as(statement).hasMessageContaining("permission denied");
        }
    }

    private void owner(String statement) {
        service.database().run(statement).await();
    }

    private void as(String statement) {
        service.database()
                .transaction(transaction ->
                        transaction.run("SET LOCAL ROLE " + role).compose(set -> transaction.run(statement)))
                .await();
    }

    private List<JsonNode> recorded() {
        Sql sql = service.database();
        return sql.query("SELECT entry FROM log.audit ORDER BY id").await().stream()
                .map(row -> Json.stored(row.getString(0)))
                .toList();
    }
}
