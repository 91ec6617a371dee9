package ai.molecule.events;

import static ai.molecule.events.ActivityFixture.NOON;
import static ai.molecule.events.ActivityFixture.row;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.bus.registry.SearchMemories;
import ai.molecule.common.bus.registry.SearchMemories.Found;
import ai.molecule.common.bus.registry.SearchMemories.Hit;
import ai.molecule.common.json.Json;
import ai.molecule.events.activity.ActivityPlace;
import ai.molecule.events.activity.PgActivitySearch;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** {@code GET /workspaces/:id/session-search}: activity and memories in one list. */
@ExtendWith(VertxExtension.class)
class SearchingSessionsTest {

    private final UUID workspace = UUID.randomUUID();
    private final UUID memory = UUID.randomUUID();
    private final List<SearchMemories> asked = new ArrayList<>();

    @SuppressWarnings("NullAway.Init")
    private EventsFixture service;

    @BeforeEach
    void start(Vertx vertx) {
        service = EventsFixture.start(vertx);
    }

    @Test
    void activity_and_memories_come_in_one_list_newest_first() {
        remember("the plan for Monday", NOON.plusSeconds(1));
        append("older plan", "{\"plan\":1}", NOON);
        append("newer plan", null, NOON.plusSeconds(2));

        var answer = search("?q=PLAN");

        assertThat(contents(answer)).containsExactly("newer plan", "the plan for Monday", "older plan");
        assertThat(answer)
                .contains(("{\"kind\":\"memory\",\"id\":\"%s\",\"workspace_id\":\"%s\",\"label\":\"LOCAL\","
                                + "\"content\":\"the plan for Monday\",\"method\":\"\",\"status\":\"\","
                                + "\"created_at\":\"2026-03-30T12:00:01.123456Z\"}")
                        .formatted(memory, workspace))
                .contains(
                        "\"label\":\"a2a_receive\",\"content\":\"older plan\",\"method\":\"message/send\",\"status\":\"ok\"")
                .contains("\"request_body\":{\"plan\":1}");
        assertThat(asked).containsExactly(new SearchMemories(workspace, "PLAN", 50));
    }

    @Test
    void bodies_are_searched_and_other_workspaces_are_not() {
        remember("", NOON);
        append("one", "{\"deep\":{\"needle\":true}}", NOON);
        service.append(List.of(
                        row(UUID.randomUUID(), UUID.randomUUID(), null, "m", "needle of others", null, null, NOON)))
                .await();

        assertThat(contents(search("?q=%20needle%20"))).contains("one").doesNotContain("needle of others");
    }

    @Test
    void the_limit_counts_for_the_list_as_a_whole() {
        remember("second", NOON.plusSeconds(1));
        append("third", null, NOON);
        append("first", null, NOON.plusSeconds(2));

        assertThat(contents(search("?limit=2"))).containsExactly("first", "second");
    }

    @Test
    void what_the_limit_leaves_out_is_found_by_going_on_and_memories_are_not_told_again() {
        remember("second", NOON.plusSeconds(1));
        append("third", null, NOON);
        append("fourth", null, NOON.minusSeconds(1));
        append("first", null, NOON.plusSeconds(2));
        String path = "/workspaces/%s/session-search?limit=2".formatted(workspace);

        var first = service.request(HttpMethod.GET, path, null);
        String more = first.getHeader("X-Molecule-More");
        var second = service.request(HttpMethod.GET, path + "&before=" + more, null);

        assertThat(contents(first.bodyAsString())).containsExactly("first", "second");
        assertThat(contents(second.bodyAsString())).containsExactly("third", "fourth");
        assertThat(asked).hasSize(1);
        assertThat(service.request(HttpMethod.GET, path.replace("=2", "=9"), null)
                        .headers()
                        .contains("X-Molecule-More"))
                .isFalse();
    }

    @Test
    void a_place_that_no_search_said_is_refused() {
        for (String place : List.of("", "yesterday", "1", "1.", ".2", "1.2.3", "99999999999999999999.1")) {
            assertThat(service.get("/workspaces/%s/session-search?before=%s".formatted(workspace, place)))
                    .as(place)
                    .isEqualTo("400 {\"error\":\"before must be the X-Molecule-More of an earlier search\"}");
        }
    }

    /** As of an agent with so many bodies that no search has the time for all of them; here it has none at all. */
    @Test
    void a_search_whose_time_is_over_says_what_it_found_and_where_to_go_on() {
        var rows = IntStream.range(0, 120)
                .mapToObj(i -> row(
                        UUID.randomUUID(),
                        workspace,
                        null,
                        "m",
                        "row " + i,
                        i % 40 == 20 ? "{\"deep\":\"needle\"}" : "{\"deep\":\"hay\"}",
                        null,
                        i < 60 ? NOON : NOON.minusSeconds(i)))
                .toList();
        service.append(rows).await();
        var search = new PgActivitySearch(service.database);

        List<String> found = new ArrayList<>();
        List<Integer> counts = new ArrayList<>();
        @Nullable ActivityPlace before = null;
        do {
            var part = search.search(workspace, "NEEDLE", 10, before, Duration.ZERO)
                    .await();
            part.hits().forEach(hit -> found.add(String.valueOf(hit.activity().summary())));
            counts.add(part.hits().size());
            before = part.more();
        } while (before != null && counts.size() < 10);

        assertThat(found).containsExactly("row 20", "row 60", "row 100");
        assertThat(counts).hasSize(3);
        assertThat(search.search(workspace, "needle", 10, null, Duration.ofMinutes(1))
                        .await()
                        .hits())
                .hasSize(3);
    }

    @Test
    void a_backslash_is_an_ordinary_character() {
        remember("x", NOON);
        append("C:\\temp\\", null, NOON);

        assertThat(contents(search("?q=temp%5C"))).contains("C:\\temp\\");
    }

    @Test
    void without_the_registry_there_is_no_half_a_result() {
        append("there", null, NOON);

        assertThat(service.get("/workspaces/%s/session-search".formatted(workspace)))
                .startsWith("503 ");
    }

    @Test
    void a_nul_is_refused() {
        assertThat(service.get("/workspaces/%s/session-search?q=a%%00b".formatted(workspace)))
                .isEqualTo("400 {\"error\":\"q must not contain NUL\"}");
    }

    @Test
    void a_text_that_is_too_long_is_refused() {
        remember("x", NOON);

        assertThat(service.get("/workspaces/%s/session-search?q=%s".formatted(workspace, "x".repeat(1_001))))
                .isEqualTo("400 {\"error\":\"q must be at most 1000 characters\"}");
        assertThat(asked).isEmpty();
        assertThat(service.get("/workspaces/%s/session-search?q=%s".formatted(workspace, "x".repeat(1_000))))
                .startsWith("200 ");
    }

    @Test
    void searches_that_take_long_take_nobody_elses_place_and_end_soon() {
        // Given: bodies that nobody can read for now, as if reading them took for ever
        remember("x", NOON);
        var locking = service.pool.getConnection().await();
        var lock = locking.begin().await();
        locking.query("LOCK TABLE log.activity_bodies IN ACCESS EXCLUSIVE MODE")
                .execute()
                .await();
        var searches = IntStream.range(0, 12)
                .mapToObj(n -> service.client
                        .get("/workspaces/%s/session-search?q=x".formatted(workspace))
                        .send())
                .toList();

        // When
        String meanwhile = service.get("/events");

        // Then
        assertThat(meanwhile).startsWith("200 ");
        assertThat(Future.all(searches.subList(0, 3)).await().<HttpResponse<Buffer>>list())
                .allMatch(answer -> answer.statusCode() == 503);
        lock.rollback().await();
        locking.close().await();
    }

    private void remember(String content, Instant createdAt) {
        service.bus
                .serve(SearchMemories.CONTRACT, question -> {
                    asked.add(question);
                    return Future.succeededFuture(new Found(List.of(new Hit(memory, "LOCAL", content, createdAt))));
                })
                .await();
    }

    private void append(String summary, @Nullable String request, Instant createdAt) {
        var row = row(UUID.randomUUID(), workspace, null, "message/send", summary, request, null, createdAt);
        service.append(List.of(row)).await();
    }

    private String search(String query) {
        var answer = service.get("/workspaces/%s/session-search%s".formatted(workspace, query));
        assertThat(answer).startsWith("200 ");
        return answer.substring(4);
    }

    private static List<String> contents(String answer) {
        return StreamSupport.stream(Json.stored(answer).spliterator(), false)
                .map(row -> row.path("content").asText())
                .toList();
    }
}
