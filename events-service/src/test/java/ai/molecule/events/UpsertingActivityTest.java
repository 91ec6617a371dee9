package ai.molecule.events;

import static ai.molecule.events.ActivityFixture.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.activity.ActivityRow;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Rows that show something going on elsewhere: each keeps the furthest state it was told. */
@ExtendWith(VertxExtension.class)
class UpsertingActivityTest {

    @SuppressWarnings("NullAway.Init")
    private EventsFixture service;

    private final UUID workspace = UUID.randomUUID();
    private final UUID id = UUID.randomUUID();

    @BeforeEach
    void start(Vertx vertx) {
        service = EventsFixture.start(vertx);
    }

    @Test
    void a_row_is_inserted_and_goes_on_and_never_back() {
        for (String told : List.of("dispatched", "dispatched", "completed", "queued", "failed")) {
            String shown = told.equals("dispatched") ? told : "completed";
            service.upsert(List.of(row(told))).await();

            var rows = service.json("/workspaces/" + workspace + "/activity?type=delegation");
            assertThat(rows.size()).isEqualTo(1);
            assertThat(rows.get(0).get("status").asText()).isEqualTo(shown);
            assertThat(rows.get(0).get("summary").asText()).isEqualTo(shown);
        }
    }

    @Test
    void of_two_states_told_at_the_same_time_the_later_one_stays() {
        Future.all(service.upsert(List.of(row("completed"))), service.upsert(List.of(row("pending"))))
                .await();

        var rows = service.json("/workspaces/" + workspace + "/activity?type=delegation");
        assertThat(rows.get(0).get("status").asText()).isEqualTo("completed");
    }

    private ActivityRow row(String status) {
        return new ActivityRow(
                id,
                workspace,
                "delegation",
                workspace,
                null,
                "delegate",
                status,
                "{\"task\":\"t\"}",
                null,
                null,
                null,
                status,
                null,
                null,
                null,
                NOON,
                false);
    }
}
