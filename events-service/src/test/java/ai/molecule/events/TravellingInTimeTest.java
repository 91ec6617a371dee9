package ai.molecule.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.proxy.TasksAt;
import ai.molecule.common.json.Json;
import ai.molecule.common.workspaces.AccessRule;
import ai.molecule.events.history.HistoryService;
import ai.molecule.events.history.PgSnapshotStore;
import ai.molecule.events.log.LogService;
import ai.molecule.events.log.PgLogStore;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** {@code GET /org?at=…}: who existed, under whom, in what status, and who could talk to whom. */
@ExtendWith(VertxExtension.class)
class TravellingInTimeTest {

    private static final long SEED = 20261121;
    private static final List<String> STATUSES = List.of("online", "offline", "degraded", "paused", "failed");
    private static final Map<String, String> TYPES = Map.of(
            "online", "WORKSPACE_ONLINE",
            "offline", "WORKSPACE_OFFLINE",
            "degraded", "WORKSPACE_DEGRADED",
            "paused", "WORKSPACE_PAUSED",
            "failed", "WORKSPACE_PROVISION_FAILED");

    private record Moment(Instant at, Map<String, ObjectNode> org) {}

    private final Random random = new Random(SEED);
    private final Map<String, ObjectNode> org = new TreeMap<>();
    private final List<Moment> moments = new ArrayList<>();

    @SuppressWarnings("NullAway.Init")
    private EventsFixture service;

    @BeforeEach
    void start(Vertx vertx) {
        service = EventsFixture.start(vertx);
    }

    @Test
    void a_random_history_is_rebuilt_at_every_moment_of_it() {
        live(60);
        snapshotIn(Duration.ofDays(1)); // one was taken at the start
        live(40);
        snapshotIn(Duration.ofDays(2)); // a second one, due after a day
        live(40);

        for (var moment : moments) {
            assertThat(workspacesAt(moment.at)).isEqualTo(moment.org);
        }
    }

    @Test
    void circles_hold_exactly_those_who_could_talk() {
        live(80);
        var answer = orgAt(moments.getLast().at);

        var parents = new HashMap<UUID, Optional<UUID>>();
        org.forEach((id, node) -> parents.put(
                UUID.fromString(id),
                node.path("parent_id").isNull()
                        ? Optional.empty()
                        : Optional.of(UUID.fromString(node.path("parent_id").asText()))));
        var rule = new AccessRule(parents);
        for (var one : parents.keySet()) {
            for (var other : parents.keySet()) {
                assertThat(one.equals(other) || shareACircle(answer, one, other))
                        .isEqualTo(rule.allows(one, other));
            }
        }
    }

    @Test
    void without_a_time_it_is_the_chart_of_now() {
        live(10);

        assertThat(byId(Json.stored(body("/org")))).isEqualTo(org);
    }

    @Test
    void a_moment_before_what_is_kept_is_gone_and_later_ones_are_still_there() {
        live(20);
        var early = moments.getFirst();
        snapshotIn(Duration.ofDays(1)); // one was taken at the start
        live(20);
        var late = moments.getLast();

        forgetAllButTheNewestSnapshot();

        assertThat(service.get("/org?at=" + early.at)).isEqualTo("410 {\"error\":\"at is before what is kept\"}");
        assertThat(workspacesAt(late.at)).isEqualTo(late.org);
        assertThat(workspacesAt(moments.get(25).at)).isEqualTo(moments.get(25).org);
    }

    @Test
    void
            a_moment_before_the_retention_is_gone_although_nothing_was_deleted_yet_and_before_the_first_event_nobody_was_there() {
        live(5);

        assertThat(service.get("/org?at=2020-01-01T00:00:00Z"))
                .isEqualTo("410 {\"error\":\"at is before what is kept\"}");
        assertThat(service.get("/org?at=" + moments.getFirst().at.minus(Duration.ofDays(1))))
                .startsWith("200 ")
                .endsWith("\"workspaces\":[],\"circles\":[]}");
    }

    @Test
    void whoever_comes_back_from_before_what_is_kept_hears_of_the_gap_first() {
        live(20);
        long kept = recorded();
        snapshotIn(Duration.ofDays(1)); // one was taken at the start
        live(5);
        forgetAllButTheNewestSnapshot();

        var canvas = service.canvas("?since=3");

        await().until(() -> canvas.recorded().size() == recorded() - kept);
        assertThat(canvas.heard)
                .filteredOn(heard -> !heard.contains("INBOX_CHANGED"))
                .first()
                .asString()
                .startsWith("{\"event\":\"GAP\",\"workspace_id\":\"\",")
                .endsWith("\"payload\":{\"from\":4,\"to\":%d}}".formatted(kept));
        assertThat(canvas.recorded().getFirst()).startsWith(kept + 1 + " ");
    }

    @Test
    void each_says_what_it_was_at_where_the_proxy_knows_and_nothing_of_it_where_it_does_not() {
        live(1);
        String id = org.keySet().iterator().next();
        assertThat(orgAt(moments.getLast().at).path("workspaces").path(0).has("task"))
                .isFalse();
        var started = Instant.parse("2026-11-23T10:00:00Z");
        var asked = new ArrayList<Instant>();
        service.bus
                .serve(TasksAt.CONTRACT, question -> {
                    asked.add(question.at());
                    return Future.succeededFuture(new TasksAt.Running(List.of(new TasksAt.One(
                            UUID.fromString(id), new UUID(1, 1), null, new UUID(2, 2), "fix test 3", started))));
                })
                .await();
        live(2);

        var workspaces = orgAt(moments.getLast().at).path("workspaces");

        for (var workspace : workspaces) {
            String expected = workspace.path("id").asText().equals(id)
                    ? "{\"id\":\"%s\",\"work_id\":null,\"caller_id\":\"%s\",\"preview\":\"fix test 3\",\"started_at\":\"2026-11-23T10:00:00.000000Z\"}"
                            .formatted(new UUID(1, 1), new UUID(2, 2))
                    : "null";
            assertThat(Json.text(workspace.path("task"))).isEqualTo(expected);
        }
        assertThat(asked).containsExactly(moments.getLast().at);
    }

    @Test
    void what_is_no_past_moment_is_refused() {
        assertThat(service.get("/org?at=yesterday")).isEqualTo("400 {\"error\":\"at must be an RFC3339 time\"}");
        assertThat(service.get("/org?at=2999-01-01T00:00:00Z"))
                .isEqualTo("400 {\"error\":\"at must not be in the future\"}");
    }

    /** So many random things happen; after each, the chart is remembered with the database's time. */
    private void live(int steps) {
        for (int i = 0; i < steps; i++) {
            step();
            var copy = new TreeMap<String, ObjectNode>();
            org.forEach((id, node) -> copy.put(id, node.deepCopy()));
            moments.add(new Moment(databaseTime(), copy));
        }
    }

    private void step() {
        int dice = random.nextInt(10);
        if (org.size() < 3 || dice < 3) {
            create();
        } else if (dice == 3) {
            change();
        } else if (dice < 5) {
            move();
        } else if (dice < 9) {
            changeStatus();
        } else {
            remove();
        }
    }

    private void create() {
        var node = Json.object()
                .put("name", "agent " + org.size())
                .put("role", random.nextBoolean() ? "worker" : null)
                .put("parent_id", org.isEmpty() || random.nextInt(3) == 0 ? null : anyone())
                .put("status", "provisioning")
                .put("tier", 1 + random.nextInt(4))
                .put("runtime", random.nextBoolean() ? "echo" : "claude-code")
                .put("x", (Integer) null)
                .put("y", (Integer) null);
        String id = UUID.randomUUID().toString();
        org.put(id, node);
        append("WORKSPACE_PROVISIONING", id, node.deepCopy());
    }

    private void move() {
        String id = anyone();
        var node = node(id).put("parent_id", (String) null);
        append("WORKSPACE_MOVED", id, node.deepCopy().put("new_parent_id", (String) null));
    }

    /** As a person does it: a place, and another tier. */
    private void change() {
        String id = anyone();
        int x = random.nextInt(1_000);
        node(id).put("x", x).put("y", -x).put("tier", 3);
        var payload = Json.object().put("name", node(id).path("name").asText());
        payload.set("changed", Json.object().put("x", x).put("y", -x).put("tier", 3));
        append("WORKSPACE_UPDATED", id, payload);
    }

    private void changeStatus() {
        String id = anyone();
        String status = STATUSES.get(random.nextInt(STATUSES.size()));
        node(id).put("status", status);
        append(
                TYPES.getOrDefault(status, ""),
                id,
                random.nextBoolean() ? Json.object() : Json.object().put("status", status));
    }

    private void remove() {
        String id = anyone();
        if (org.values().stream()
                .noneMatch(node -> node.path("parent_id").asText().equals(id))) {
            org.remove(id);
            append("WORKSPACE_REMOVED", id, Json.object());
        }
    }

    private ObjectNode node(String id) {
        return org.getOrDefault(id, Json.object());
    }

    private String anyone() {
        return new ArrayList<>(org.keySet()).get(random.nextInt(org.size()));
    }

    private void append(String type, String id, JsonNode payload) {
        service.log.append(service.pool, type, UUID.fromString(id), payload).await();
        service.log.committed();
    }

    private void snapshotIn(Duration later) {
        reconcile(Clock.offset(Clock.systemUTC(), later), Duration.ofDays(90));
    }

    /** The reconciler when the newest snapshot, which is not a day old, is past the retention. */
    private void forgetAllButTheNewestSnapshot() {
        reconcile(Clock.fixed(databaseTime(), ZoneOffset.UTC), Duration.ZERO);
    }

    private void reconcile(Clock clock, Duration retention) {
        var log = new PgLogStore(service.database);
        var settling = new LogService(log, (time, unit) -> service.vertx.timer(time, unit));
        settling.settled().await();
        new HistoryService(new PgSnapshotStore(service.database), log, settling, clock, retention, service.bus)
                .run()
                .await();
    }

    private Instant databaseTime() {
        return service.pool
                .query("SELECT clock_timestamp() AS now")
                .execute()
                .await()
                .iterator()
                .next()
                .getOffsetDateTime("now")
                .toInstant();
    }

    /** The number of the last event, once all have theirs. */
    private long recorded() {
        await().until(() -> service.pool
                        .query("SELECT 1 FROM log.events WHERE seq IS NULL LIMIT 1")
                        .execute()
                        .await()
                        .size()
                == 0);
        return new PgLogStore(service.database).last().await();
    }

    private JsonNode orgAt(Instant at) {
        return Json.stored(body("/org?at=" + OffsetDateTime.ofInstant(at, ZoneOffset.UTC)));
    }

    private Map<String, ObjectNode> workspacesAt(Instant at) {
        return byId(orgAt(at));
    }

    private String body(String path) {
        var answer = service.get(path);
        assertThat(answer).startsWith("200 ");
        return answer.substring(4);
    }

    private static Map<String, ObjectNode> byId(JsonNode answer) {
        var workspaces = new TreeMap<String, ObjectNode>();
        for (var workspace : answer.path("workspaces")) {
            ObjectNode node = workspace.deepCopy();
            node.remove("id");
            workspaces.put(workspace.path("id").asText(), node);
        }
        return workspaces;
    }

    private static boolean shareACircle(JsonNode answer, UUID one, UUID other) {
        for (var circle : answer.path("circles")) {
            var ids = Json.text(circle);
            if (ids.contains(one.toString()) && ids.contains(other.toString())) {
                return true;
            }
        }
        return false;
    }
}
