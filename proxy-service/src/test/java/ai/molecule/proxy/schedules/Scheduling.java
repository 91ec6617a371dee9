package ai.molecule.proxy.schedules;

import static ai.molecule.common.testing.Records.with;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.db.Postgres;
import ai.molecule.common.json.Json;
import ai.molecule.common.testing.TestConfig;
import ai.molecule.common.testing.TestStores;
import ai.molecule.proxy.ProxyConfig;
import ai.molecule.proxy.ProxyUnderTest;
import ai.molecule.proxy.StandInPlatform;
import ai.molecule.proxy.queue.QueueLimits;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;

/** A proxy with schedules, and agents of ours that remember what they got and answer when they are let. */
final class Scheduling {

    private static final String ROOT = "the-admin-token";
    private static final String SAID = "{\"result\":{\"parts\":[{\"kind\":\"text\",\"text\":\"done\"}]}}";
    private static final String UNKNOWN_TASK = "{\"error\":{\"code\":-32001,\"message\":\"no task\"}}";

    final StandInPlatform platform;
    final ProxyUnderTest proxy;
    final Pool database;
    final ProxyConfig config;
    private final Vertx vertx;

    /** Message ids in the order in which they came, each as often as it did. */
    final List<String> heard = new CopyOnWriteArrayList<>();

    final Map<String, JsonNode> messages = new ConcurrentHashMap<>();
    final List<String> cancelled = new CopyOnWriteArrayList<>();

    /** Requests without an answer, while agents take their time. */
    final Map<String, HttpServerRequest> held = new ConcurrentHashMap<>();

    private final Set<String> answered = ConcurrentHashMap.newKeySet();
    volatile boolean slow;

    private Scheduling(Vertx vertx, UnaryOperator<ScheduleStore> store) {
        this.vertx = vertx;
        String url = TestStores.freshDatabase();
        platform = new StandInPlatform(vertx);
        config = quick(url, TestStores.redisUrl());
        proxy = ProxyUnderTest.start(vertx, platform, config, work -> work, waiting -> waiting, store);
        database = Postgres.pool(vertx, url, "proxy");
    }

    /** Everything that waits waits little. */
    static ProxyConfig quick(String url, String redisUrl) {
        var config =
                ProxyConfig.fromEnv(TestConfig.env("DATABASE_URL", url, "REDIS_URL", redisUrl, "ADMIN_TOKEN", ROOT));
        var queue = with(with(QueueLimits.DEFAULT, "lease", Duration.ofSeconds(2)), "tick", Duration.ofMillis(200));
        var limits = new ScheduleLimits(
                Duration.ofSeconds(2), Duration.ofMillis(200), 16, Duration.ofMillis(500), Duration.ofSeconds(1));
        return with(with(config, "queue", queue), "schedules", limits);
    }

    static Scheduling start(Vertx vertx) {
        return start(vertx, store -> store);
    }

    static Scheduling start(Vertx vertx, UnaryOperator<ScheduleStore> store) {
        return new Scheduling(vertx, store);
    }

    ProxyUnderTest anotherReplica() {
        return ProxyUnderTest.start(vertx, platform, config, work -> work);
    }

    /** Where its agents are, for a replica in a process of its own. */
    String agentsUrl() {
        return ProxyUnderTest.urlOf(ProxyUnderTest.serve(vertx, this::answer));
    }

    UUID agent() {
        return proxy.agent(this::answer);
    }

    /** A schedule of this workspace that says so; its id. */
    UUID schedule(UUID workspace, String said) {
        var answer = post("/workspaces/" + workspace + "/schedules", said);
        if (answer.statusCode() != 201) {
            throw new AssertionError(ProxyUnderTest.seen(answer));
        }
        return UUID.fromString(Json.stored(answer.bodyAsString()).path("id").asText());
    }

    /** Its next tick was so long ago. */
    void due(UUID schedule, Duration ago) {
        database.preparedQuery("""
                        UPDATE schedules SET next_run_at = date_trunc('second', now()) - $2::bigint * interval '1 s', due_at = now(),
                            anchor = anchor - $2::bigint * interval '1 s' WHERE id = $1
                        """).execute(Tuple.of(schedule, ago.toSeconds())).await();
    }

    /** Its history, newest first. */
    List<JsonNode> history(UUID workspace, UUID schedule) {
        var answer = send(
                HttpMethod.GET, "/workspaces/%s/schedules/%s/history?limit=200".formatted(workspace, schedule), "");
        List<JsonNode> runs = new ArrayList<>();
        Json.stored(answer.bodyAsString()).forEach(runs::add);
        return runs;
    }

    /** How often each status is in its history. */
    List<String> statuses(UUID workspace, UUID schedule) {
        return history(workspace, schedule).stream()
                .map(run -> run.path("status").asText())
                .toList();
    }

    JsonNode awaitRun(UUID workspace, UUID schedule, String status) {
        await().until(() -> statuses(workspace, schedule).contains(status));
        return history(workspace, schedule).stream()
                .filter(run -> run.path("status").asText().equals(status))
                .findFirst()
                .orElseThrow();
    }

    JsonNode listed(UUID workspace) {
        return Json.stored(send(HttpMethod.GET, "/workspaces/" + workspace + "/schedules", "")
                .bodyAsString());
    }

    List<String> events(UUID workspace) {
        return database
                .preparedQuery(
                        "SELECT event_type || ' ' || payload::text FROM log.events WHERE workspace_id = $1 ORDER BY id")
                .execute(Tuple.of(workspace))
                .await()
                .stream()
                .map(row -> row.getString(0))
                .filter(event -> event.startsWith("CRON_"))
                .toList();
    }

    HttpResponse<Buffer> post(String path, String said) {
        return send(HttpMethod.POST, path, said);
    }

    HttpResponse<Buffer> send(HttpMethod method, String path, String said, String... headers) {
        var request = proxy.client.request(method, path).putHeader("Authorization", "Bearer " + ROOT);
        for (int i = 0; i < headers.length; i += 2) {
            request.putHeader(headers[i], headers[i + 1]);
        }
        return request.sendBuffer(Buffer.buffer(said.replace('\'', '"'))).await();
    }

    /** Lets an agent answer what it took its time for. */
    void answerNow(String messageId) {
        await().until(() -> held.containsKey(messageId));
        answer(messageId);
    }

    private void answer(String messageId) {
        var request = held.remove(messageId);
        answered.add(messageId);
        if (request != null) {
            ProxyUnderTest.json(request.response(), SAID);
        }
    }

    private void answer(HttpServerRequest request) {
        request.body().onSuccess(body -> {
            var asked = Json.stored(body.toString());
            String method = asked.path("method").asText();
            if (method.equals("molecule/tasks/byMessage")) {
                ProxyUnderTest.json(
                        request.response(), task(asked.at("/params/messageId").asText()));
            } else if (method.equals("tasks/cancel")) {
                cancelled.add(asked.at("/params/id").asText());
                answer(asked.at("/params/id").asText());
                ProxyUnderTest.json(request.response(), SAID);
            } else {
                String id = asked.at("/params/message/messageId").asText();
                messages.put(id, asked);
                heard.add(id);
                if (slow) {
                    held.put(id, request);
                } else {
                    answered.add(id);
                    ProxyUnderTest.json(request.response(), SAID);
                }
            }
        });
    }

    private String task(String id) {
        return !messages.containsKey(id)
                ? UNKNOWN_TASK
                : "{\"result\":{\"kind\":\"task\",\"id\":\"%s\",\"contextId\":\"c\",\"status\":{\"state\":\"%s\"}}}"
                        .formatted(id, answered.contains(id) ? "completed" : "working");
    }
}
