package ai.molecule.proxy.delegations;

import static ai.molecule.common.testing.Records.with;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.activity.ActivityRow;
import ai.molecule.common.json.Json;
import ai.molecule.common.testing.TestConfig;
import ai.molecule.common.testing.TestStores;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.proxy.ProxyConfig;
import ai.molecule.proxy.ProxyUnderTest;
import ai.molecule.proxy.StandInPlatform;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.pgclient.PgBuilder;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;

/** A proxy with a workspace that delegates, agents of ours that count what they get, and the log of events. */
final class Delegating {

    /** What an agent does with a message or a question. */
    interface Agent {
        void answer(HttpServerRequest request, JsonNode body);
    }

    static boolean isLookup(JsonNode body) {
        return body.path("method").asText().equals("molecule/tasks/byMessage");
    }

    /** Everything that waits waits little. */
    static final DelegationLimits QUICK = new DelegationLimits(
            3,
            Duration.ofMillis(50),
            Duration.ofMinutes(30),
            Duration.ofMillis(1_500),
            Duration.ofMillis(100),
            Duration.ofMillis(50),
            4,
            64,
            Duration.ofDays(7));

    final Vertx vertx;
    final StandInPlatform platform;
    final ProxyConfig config;
    final Pool database;
    final ProxyUnderTest proxy;
    UUID source = UUID.randomUUID();
    String token;
    final List<JsonNode> received = new CopyOnWriteArrayList<>();

    private Delegating(Vertx vertx, DelegationLimits limits, UnaryOperator<WorkStore> work) {
        this.vertx = vertx;
        String url = TestStores.freshDatabase();
        platform = new StandInPlatform(vertx);
        config = with(ProxyConfig.fromEnv(TestConfig.env("DATABASE_URL", url)), "delegations", limits);
        proxy = ProxyUnderTest.start(vertx, platform, config, work);
        database = PgBuilder.pool().connectingTo(url).using(vertx).build();
        token = platform.tokenOf(source);
        someoneElse();
    }

    /** From now on another workspace delegates, whose list is empty. */
    void someoneElse() {
        source = UUID.randomUUID();
        platform.put(source, "http://127.0.0.1:1", true, WorkspaceStatus.ONLINE, false);
        token = platform.tokenOf(source);
    }

    /** The source's activity rows, oldest first. */
    List<ActivityRow> rows() {
        return platform.rows.delegations().stream()
                .filter(row -> row.workspaceId().equals(source))
                .sorted(Comparator.comparing(ActivityRow::createdAt))
                .toList();
    }

    static Delegating start(Vertx vertx) {
        return start(vertx, QUICK, work -> work);
    }

    static Delegating start(Vertx vertx, DelegationLimits limits, UnaryOperator<WorkStore> work) {
        return new Delegating(vertx, limits, work);
    }

    /** A second proxy on the same database. */
    ProxyUnderTest anotherReplica() {
        return ProxyUnderTest.start(vertx, platform, config, work -> work);
    }

    /** A peer whose agent does this with every message it got, which is kept in {@link #received}. */
    UUID peer(Agent agent) {
        var server = ProxyUnderTest.serve(vertx, request -> {
            request.body().onSuccess(body -> {
                var message = Json.stored(body.toString());
                received.add(message);
                agent.answer(request, message);
            });
        });
        return friend(platform.workspaceAt(ProxyUnderTest.urlOf(server)));
    }

    UUID peerSaying(String answer) {
        return peer((request, message) -> ProxyUnderTest.json(request.response(), answer));
    }

    UUID friend(UUID peer) {
        platform.mayTalk(source, peer);
        return peer;
    }

    HttpResponse<Buffer> post(String path, String body) {
        return proxy.post(path, body, "Authorization", "Bearer " + token);
    }

    /** The id of an accepted delegation. */
    String delegate(UUID target, String task) {
        var answer = post(
                "/workspaces/" + source + "/delegate",
                Json.text(Json.object().put("target_id", target.toString()).put("task", task)));
        if (answer.statusCode() != 202) {
            throw new AssertionError(ProxyUnderTest.seen(answer));
        }
        return answer.bodyAsJsonObject().getString("delegation_id");
    }

    /** The same in the name of another. */
    String delegateAs(UUID giver, UUID target, String task) {
        platform.mayTalk(giver, target);
        var answer = proxy.post(
                "/workspaces/" + giver + "/delegate",
                Json.text(Json.object().put("target_id", target.toString()).put("task", task)),
                "Authorization",
                "Bearer " + platform.tokenOf(giver));
        return answer.bodyAsJsonObject().getString("delegation_id");
    }

    JsonNode list() {
        return Json.stored(proxy.client
                .get("/workspaces/" + source + "/delegations")
                .putHeader("Authorization", "Bearer " + token)
                .send()
                .await()
                .bodyAsString());
    }

    /** The newest entry of a delegation. */
    JsonNode entry(String delegationId) {
        for (var entry : list()) {
            if (entry.path("delegation_id").asText().equals(delegationId)) {
                return entry;
            }
        }
        throw new AssertionError("not listed: " + delegationId);
    }

    JsonNode awaitEntry(String delegationId, String status) {
        await().until(() -> entry(delegationId).path("status").asText().equals(status));
        return entry(delegationId);
    }

    /** The events about a delegation as {@code TYPE payload}, in order. */
    List<String> events(String delegationId) {
        return database
                .preparedQuery("SELECT event_type, payload::text AS payload FROM log.events"
                        + " WHERE workspace_id = $1 AND payload->>'delegation_id' = $2 ORDER BY id")
                .execute(Tuple.of(source, delegationId))
                .await()
                .stream()
                .map(row -> row.getString("event_type") + " "
                        + Json.stored(row.getString("payload")).toString())
                .toList();
    }

    List<String> eventTypes(String delegationId) {
        return events(delegationId).stream()
                .map(event -> event.substring(0, event.indexOf(' ')))
                .toList();
    }

    long messages(String delegationId) {
        return received.stream()
                .filter(body -> body.at("/params/message/messageId").asText().equals(delegationId))
                .count();
    }
}
