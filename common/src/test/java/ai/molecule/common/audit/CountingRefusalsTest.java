package ai.molecule.common.audit;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.json.Json;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.common.testing.TestConfig;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What the record says of those who were refused. */
@ExtendWith(VertxExtension.class)
class CountingRefusalsTest {

    private static final Actor STRANGER = Actor.of("anyone", "anyone", null, "192.0.2.1", "first");
    private static final Actor OTHER = Actor.of("anyone", "anyone", null, "192.0.2.2", "second");

    @SuppressWarnings("NullAway.Init")
    private ServiceContext service;

    @SuppressWarnings("NullAway.Init")
    private Refusals refusals;

    @BeforeEach
    void open(Vertx vertx) {
        service = ServiceContext.open(vertx, TestConfig.platform(), "refusing").await();
        refusals = new Refusals(
                vertx, service.database(), service.reconcilers().add("more-refusals", "records who was refused"));
    }

    @AfterEach
    void close() {
        service.close().await();
    }

    @Test
    void alike_ones_are_one_row_whose_sample_is_the_first() {
        refusals.count(new Refusals.Refused(401, "GET /audit", "no", null, STRANGER));
        refusals.count(new Refusals.Refused(401, "GET /audit", "no", null, OTHER));
        refusals.count(new Refusals.Refused(403, "GET /audit", "no", null, OTHER));

        refusals.stop().await();

        assertThat(recorded())
                .extracting(row -> row.path("detail").path("count").asInt())
                .containsExactly(2, 1);
        assertThat(recorded())
                .extracting(row -> row.path("actor").path("request_id").asText())
                .containsExactly("first", "second");
        assertThat(recorded()).extracting(row -> row.path("verdict").asText()).containsOnly("refused");
    }

    @Test
    void however_many_kinds_there_are_the_record_gets_few_rows_and_the_whole_count() {
        for (int i = 0; i < 1_000; i++) {
            refusals.count(new Refusals.Refused(401, "GET /" + i, "no", null, STRANGER));
        }

        refusals.stop().await();

        assertThat(recorded()).hasSize(Refusals.KINDS_MAX + 1);
        assertThat(recorded().getLast().path("object").asText()).isEqualTo("others");
        assertThat(recorded().stream()
                        .mapToInt(row -> row.path("detail").path("count").asInt())
                        .sum())
                .isEqualTo(1_000);
    }

    private List<JsonNode> recorded() {
        return service
                .pool()
                .query("SELECT entry FROM log.audit WHERE verb = 'request.refused' ORDER BY id")
                .execute()
                .await()
                .stream()
                .map(row -> Json.stored(row.getString(0)))
                .toList();
    }
}
