package ai.molecule.events;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** {@code GET /events} and {@code GET /events/:workspaceId}. */
@ExtendWith(VertxExtension.class)
class ListingEventsTest {

    private static final UUID WORKSPACE = UUID.fromString("11111111-2222-3333-4444-555555555555");

    @SuppressWarnings("NullAway.Init")
    private EventsFixture service;

    @BeforeEach
    void start(Vertx vertx) {
        service = EventsFixture.start(vertx);
    }

    @Test
    void a_change_that_was_just_made_is_in_the_list() {
        for (int i = 1; i <= 20; i++) {
            service.record("E" + i, WORKSPACE);
            assertThat(service.json("/events").size()).isEqualTo(i);
        }
    }

    @Test
    void a_row_has_the_contracts_keys_and_its_position() {
        service.record("E", WORKSPACE);

        assertThat(service.get("/events"))
                .matches("200 \\[\\{\"id\":\"[0-9a-f-]{36}\",\"event_type\":\"E\","
                        + "\"workspace_id\":\"11111111-2222-3333-4444-555555555555\",\"payload\":\\{\"n\":\"E\"},"
                        + "\"created_at\":\"[0-9T:.-]{26}Z\",\"seq\":1}]");
    }

    @Test
    void an_event_of_no_workspace_says_null() {
        service.record("E", null);

        assertThat(service.get("/events")).contains("\"workspace_id\":null");
    }

    @Test
    void rows_come_newest_first_and_pages_meet_without_hole_or_repeat() {
        for (int i = 1; i <= 7; i++) {
            service.record("E" + i, i % 2 == 0 ? UUID.randomUUID() : WORKSPACE);
        }

        assertThat(positions("/events")).containsExactly(7, 6, 5, 4, 3, 2, 1);
        assertThat(positions("/events?limit=3")).containsExactly(7, 6, 5);
        assertThat(positions("/events?limit=3&before=5")).containsExactly(4, 3, 2);
        assertThat(positions("/events?limit=3&after=2")).containsExactly(5, 4, 3);
        assertThat(positions("/events?before=6&after=2")).containsExactly(5, 4, 3);
        assertThat(positions("/events/" + WORKSPACE)).containsExactly(7, 5, 3, 1);
        assertThat(positions("/events/" + WORKSPACE + "?limit=2&before=5")).containsExactly(3, 1);
        assertThat(positions("/events/" + UUID.randomUUID())).isEmpty();
    }

    @Test
    void bad_parameters_are_refused() {
        assertThat(service.get("/events?limit=many"))
                .isEqualTo("400 {\"error\":\"limit must be a whole number, at least 1\"}");
        assertThat(service.get("/events?limit=0")).startsWith("400 ");
        assertThat(service.get("/events?limit=501")).startsWith("200 ");
        assertThat(service.get("/events?before=x"))
                .isEqualTo("400 {\"error\":\"before must be a whole number, at least 0\"}");
        assertThat(service.get("/events?after=99999999999999999999")).startsWith("400 ");
        assertThat(service.get("/events/me")).isEqualTo("400 {\"error\":\"invalid workspace ID\"}");
    }

    private List<Integer> positions(String path) {
        List<Integer> positions = new ArrayList<>();
        service.json(path).forEach(row -> positions.add(row.path("seq").asInt()));
        return positions;
    }
}
