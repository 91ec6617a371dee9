package ai.molecule.proxy.queue;

import static ai.molecule.common.testing.Records.with;
import static ai.molecule.proxy.ProxyUnderTest.json;
import static ai.molecule.proxy.ProxyUnderTest.seen;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.activity.ActivityRow;
import ai.molecule.common.bus.hints.CapacityWanted;
import ai.molecule.common.bus.hints.DrainQueue;
import ai.molecule.common.bus.hints.WorkspaceChanged;
import ai.molecule.common.db.Postgres;
import ai.molecule.common.json.Json;
import ai.molecule.common.testing.TestConfig;
import ai.molecule.common.testing.TestStores;
import ai.molecule.proxy.ProxyConfig;
import ai.molecule.proxy.ProxyUnderTest;
import ai.molecule.proxy.StandInPlatform;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.junit5.VertxExtension;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Messages for an agent that says 429 or 503: kept, and sent in order when there is capacity. Two replicas share the work. */
@Tag("stores")
@ExtendWith(VertxExtension.class)
class WaitingForBusyAgentsTest {

    /** Nothing leaves without a sign of capacity. */
    private static final QueueLimits PATIENT = new QueueLimits(
            3,
            3,
            Duration.ofMinutes(30),
            Duration.ofMinutes(10),
            3,
            Duration.ofSeconds(2),
            Duration.ofMillis(100),
            16,
            Duration.ofDays(1));

    private static final List<CapacityWanted> WANTED = new CopyOnWriteArrayList<>();

    @SuppressWarnings("NullAway.Init")
    private static StandInPlatform platform;

    @SuppressWarnings("NullAway.Init")
    private static ProxyUnderTest proxy;

    @SuppressWarnings("NullAway.Init")
    private static Pool database;

    private final List<String> received = new CopyOnWriteArrayList<>();
    private final List<HttpServerRequest> held = new CopyOnWriteArrayList<>();
    private volatile int busyWith = 429;
    private volatile boolean holding;
    private UUID agent = UUID.randomUUID();

    @BeforeAll
    static void start(Vertx vertx) {
        platform = new StandInPlatform(vertx);
        String url = TestStores.freshDatabase();
        database = Postgres.pool(vertx, url, "proxy");
        var config =
                with(ProxyConfig.fromEnv(TestConfig.env("DATABASE_URL", url, "ADMIN_TOKEN", "root")), "queue", PATIENT);
        proxy = ProxyUnderTest.start(vertx, platform, config, work -> work);
        ProxyUnderTest.start(vertx, platform, config, work -> work);
        platform.bus.listen(CapacityWanted.HINT, WANTED::add);
    }

    @BeforeEach
    void agent(Vertx vertx) {
        var server = ProxyUnderTest.serve(
                vertx,
                request -> request.body().onSuccess(body -> {
                    received.add(Json.stored(body.toString())
                            .at("/params/message/messageId")
                            .asText());
                    if (busyWith != 0) {
                        request.response().setStatusCode(busyWith).end();
                    } else if (holding) {
                        held.add(request);
                    } else {
                        json(request.response(), "{\"result\":\"done\"}");
                    }
                }));
        agent = platform.workspaceAt(ProxyUnderTest.urlOf(server));
    }

    @Test
    void a_busy_agents_message_waits_and_its_answer_reaches_the_canvas() {
        var answer = send("m1");

        var body = answer.bodyAsJsonObject();
        assertThat(answer.statusCode()).isEqualTo(202);
        assertThat(body.fieldNames())
                .containsExactly("queued", "queue_id", "queue_depth", "message", "priority", "expires_at");
        assertThat(body.getString("message"))
                .isEqualTo("workspace agent busy — request queued, will dispatch when capacity available");
        assertThat(body.getInteger("queue_depth")).isEqualTo(1);
        assertThat(body.getInteger("priority")).isEqualTo(50);
        await().until(() ->
                WANTED.stream().anyMatch(wanted -> wanted.workspaceIds().contains(agent)));
        assertThat(rows()).isZero();

        busyWith = 0;
        capacity();

        await().until(() -> rows() == 1);
        assertThat(received).containsExactly("m1", "m1");
        assertThat(platform.live.stream()
                        .filter(event -> agent.equals(event.workspaceId()))
                        .map(event -> event.type() + " " + event.payload().path("response_body")))
                .containsExactly("A2A_RESPONSE {\"result\":\"done\"}");
    }

    @Test
    void the_same_message_waits_once_and_too_many_are_refused() {
        busyWith = 503;
        String first = send("m1").bodyAsJsonObject().getString("queue_id");

        assertThat(send("m1").bodyAsJsonObject().getString("queue_id")).isEqualTo(first);
        send("m2");
        assertThat(send("m3").bodyAsJsonObject().getInteger("queue_depth")).isEqualTo(3);

        var refused = send("m4");
        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(refused.getHeader("Retry-After")).isEqualTo("30");
        assertThat(refused.bodyAsJsonObject().getString("error"))
                .isEqualTo("workspace agent busy — retry after a short backoff");
        assertThat(refused.bodyAsJsonObject().getBoolean("busy")).isTrue();
    }

    @Test
    void one_leaves_at_a_time_in_the_order_they_came() {
        send("m1");
        send("m2");
        send("m3");
        received.clear();
        busyWith = 0;
        holding = true;

        capacity();

        for (int i = 1; i <= 3; i++) {
            int nth = i;
            await().until(() -> held.size() == nth);
            capacity();
            assertThat(received).hasSize(nth);
            json(held.get(nth - 1).response(), "{\"result\":\"done\"}");
        }
        await().until(() -> rows() == 3);
        assertThat(received).containsExactly("m1", "m2", "m3");
    }

    @Test
    void what_came_while_the_agent_worked_leaves_without_another_sign() {
        send("m1");
        busyWith = 0;
        holding = true;
        capacity();
        await().until(() -> held.size() == 1);
        busyWith = 429;
        send("m2");
        busyWith = 0;
        holding = false;

        json(held.getFirst().response(), "{\"result\":\"done\"}");

        await().until(() -> rows() == 2);
        assertThat(received).containsExactly("m1", "m1", "m2", "m2");
    }

    @Test
    void an_agent_that_is_busy_again_is_tried_a_few_times_more() {
        send("m1");

        await().until(() -> {
            capacity();
            return drop(1).equals("200 {\"dropped\":0}") && received.size() == 4;
        });

        await().until(() -> rows() == 1);
        assertThat(row().status()).isEqualTo("error");
        assertThat(row().summary()).isEqualTo("A2A request to planner failed: the agent is busy");
        busyWith = 0;
        send("m2");
        assertThat(received).containsExactly("m1", "m1", "m1", "m1", "m2");
    }

    @Test
    void a_platform_that_is_away_itself_uses_up_no_attempt() {
        send("m1");
        platform.away = true;
        try {
            platform.bus.publish(WorkspaceChanged.HINT, new WorkspaceChanged(agent, 2)); // nobody remembers where it is
            await().until(() -> {
                capacity();
                return queued("claim") > 4L * PATIENT.attemptsMax();
            });
            assertThat(queued("attempts")).isLessThanOrEqualTo(1); // one while it is tried
        } finally {
            platform.away = false;
        }
        busyWith = 0;

        await().until(() -> {
            capacity();
            return rows() == 1;
        });
        assertThat(row().status()).isEqualTo("ok");
        assertThat(received).containsExactly("m1", "m1");
    }

    @Test
    void an_error_of_the_agent_is_no_reason_to_send_again() {
        send("m1");
        busyWith = 500;

        capacity();

        await().until(() -> rows() == 1);
        capacity();
        busyWith = 429;
        assertThat(send("m2").bodyAsJsonObject().getInteger("queue_depth")).isEqualTo(1);
        assertThat(received).containsExactly("m1", "m1", "m2");
    }

    @Test
    void what_waits_can_be_dropped_by_an_admin_only() {
        send("m1");

        assertThat(drop(1)).isEqualTo("200 {\"dropped\":0}");
        database.query("UPDATE proxy.a2a_queue SET enqueued_at = now() - interval '2 minutes'")
                .execute()
                .await();
        assertThat(drop(1)).isEqualTo("200 {\"dropped\":1}");
        await().until(() -> rows() == 1);
        assertThat(row().errorDetail()).isEqualTo("dropped from the queue");
        assertThat(drop(0)).isEqualTo("400 {\"error\":\"max_age_minutes must be a positive integer\"}");
        assertThat(seen(proxy.post("/admin/a2a-queue/drop-stale", "")))
                .isEqualTo("401 {\"error\":\"admin auth required\"}");
        assertThat(seen(proxy.post("/admin/a2a-queue/drop-stale?workspace_id=x", "", "Authorization", "Bearer root")))
                .isEqualTo("400 {\"error\":\"workspace_id must be a valid UUID\"}");
    }

    @Test
    void a_delegation_waits_too_and_is_completed_by_the_drain() {
        var source = UUID.randomUUID();
        String id = queuedDelegation(source);
        assertThat(newest(source)).contains("\"status\":\"queued\"", id);

        busyWith = 0;
        capacity();

        await().until(() -> newest(source).contains("Delegation completed (done)"));
        assertThat(received).containsExactly(id, id);
    }

    @Test
    void a_delegation_that_has_an_outcome_leaves_the_queue() {
        var source = UUID.randomUUID();
        String id = queuedDelegation(source);

        proxy.post(
                "/workspaces/" + source + "/delegations/" + id + "/update",
                "{\"status\":\"failed\",\"error\":\"not needed any more\"}",
                "Authorization",
                "Bearer root");

        assertThat(newest(source)).contains("not needed any more");
        assertThat(send("m1").bodyAsJsonObject().getInteger("queue_depth")).isEqualTo(1);
        busyWith = 0;
        capacity();
        await().until(() -> rows() == 1);
        assertThat(received).containsExactly(id, "m1", "m1");
    }

    @Test
    void a_delegation_whose_outcome_comes_while_it_is_at_its_target_is_recorded_there_all_the_same() {
        var source = UUID.randomUUID();
        String id = queuedDelegation(source);
        busyWith = 0;
        holding = true;
        capacity();
        await().until(() -> held.size() == 1);

        proxy.post(
                "/workspaces/" + source + "/delegations/" + id + "/update",
                "{\"status\":\"completed\",\"response_preview\":\"said elsewhere\"}",
                "Authorization",
                "Bearer root");
        json(held.getFirst().response(), "{\"result\":\"done\"}");

        await().until(() -> rows() == 1);
        assertThat(newest(source)).contains("said elsewhere");
    }

    @Test
    void of_one_workspace_a_quarter_of_the_places_may_be_taken() {
        var one = UUID.randomUUID();
        var other = UUID.randomUUID();
        platform.mayTalk(one, agent);
        platform.mayTalk(other, agent);

        assertThat(send("m1", one)).isEqualTo(202);
        assertThat(send("m2", one)).isEqualTo(503);
        assertThat(send("m1", one)).isEqualTo(202);
        assertThat(send("m1", other)).isEqualTo(202);
    }

    @Test
    void what_waits_for_a_quarantined_workspace_ends_at_once_or_soon_after_a_lost_hint() {
        var source = UUID.randomUUID();
        String id = queuedDelegation(source);
        send("m1");

        platform.quarantine(agent);

        await().until(() -> newest(source).contains("workspace is quarantined"));
        await().until(() -> rows() == 2);
        assertThat(platform.rows.stream()
                        .filter(row -> row.workspaceId().equals(agent))
                        .map(ActivityRow::errorDetail))
                .containsOnly("workspace is quarantined");
        await().until(() -> seen(send("m2")).startsWith("403 "));
        assertThat(received).filteredOn(id::equals).hasSize(1);
    }

    @Test
    void full_queues_of_some_hide_nobody() {
        busyWith = 0;
        database.query("""
                INSERT INTO a2a_queue (id, target_id, priority, method, body, headers, status, due_at, expires_at)
                SELECT gen_random_uuid(), ('00000000-0000-4000-8000-' || lpad((n % 11)::text, 12, '0'))::uuid, 50, 'm', '{}', '{}',
                    'queued', now() - interval '1 hour', now() + interval '1 hour'
                FROM generate_series(1, 1100) AS n
                """).execute().await();
        database.query("""
                UPDATE a2a_queue SET status = 'dispatched', sent = true, due_at = now() + interval '1 hour'
                WHERE id IN (SELECT DISTINCT ON (target_id) id FROM a2a_queue
                    WHERE target_id < '00000000-0000-4000-8000-000000000011' ORDER BY target_id, seq)
                """).execute().await();
        try {
            database.preparedQuery("""
                    INSERT INTO a2a_queue (id, target_id, priority, method, body, headers, status, due_at, expires_at)
                    VALUES (gen_random_uuid(), $1, 50, 'message/send', '{"method":"message/send","params":{}}', '{}', 'queued',
                        now(), now() + interval '1 hour')
                    """).execute(Tuple.of(agent)).await();

            await().until(() -> rows() == 1);
        } finally {
            database.query("DELETE FROM a2a_queue WHERE target_id < '00000000-0000-4000-8000-000000000011'")
                    .execute()
                    .await();
        }
    }

    private int send(String messageId, UUID caller) {
        return proxy.send(
                        agent,
                        "{\"method\":\"message/send\",\"params\":{\"message\":{\"messageId\":\"%s\",\"parts\":[]}}}"
                                .formatted(messageId),
                        "X-Workspace-ID",
                        caller.toString())
                .statusCode();
    }

    private String queuedDelegation(UUID source) {
        platform.mayTalk(source, agent);
        String id = proxy.post(
                        "/workspaces/" + source + "/delegate",
                        "{\"target_id\":\"%s\",\"task\":\"t\"}".formatted(agent),
                        "Authorization",
                        "Bearer root")
                .bodyAsJsonObject()
                .getString("delegation_id");
        await().until(() -> newest(source).contains("target at capacity"));
        return id;
    }

    private io.vertx.ext.web.client.HttpResponse<io.vertx.core.buffer.Buffer> send(String messageId) {
        return proxy.send(
                agent,
                "{\"method\":\"message/send\",\"params\":{\"message\":{\"messageId\":\"%s\",\"parts\":[]}}}"
                        .formatted(messageId));
    }

    private long queued(String column) {
        return database.preparedQuery("SELECT %s::bigint FROM proxy.a2a_queue WHERE target_id = $1".formatted(column))
                .execute(Tuple.of(agent))
                .await()
                .iterator()
                .next()
                .getLong(0);
    }

    private void capacity() {
        platform.bus.poke(DrainQueue.HINT, new DrainQueue(agent));
    }

    private String drop(int minutes) {
        return seen(proxy.post(
                "/admin/a2a-queue/drop-stale?workspace_id=" + agent + "&max_age_minutes=" + minutes,
                "",
                "Authorization",
                "Bearer root"));
    }

    private String newest(UUID source) {
        return Json.stored(proxy.client
                        .get("/workspaces/" + source + "/delegations")
                        .putHeader("Authorization", "Bearer root")
                        .send()
                        .await()
                        .bodyAsString())
                .path(0)
                .toString();
    }

    private ActivityRow row() {
        return platform.rows.stream()
                .filter(row -> row.workspaceId().equals(agent))
                .findFirst()
                .orElseThrow();
    }

    private long rows() {
        return platform.rows.stream()
                .filter(row -> row.workspaceId().equals(agent))
                .count();
    }
}
