package ai.molecule.events;

import static org.awaitility.Awaitility.await;

import ai.molecule.common.activity.ActivityLog;
import ai.molecule.common.activity.ActivityRow;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.db.Database;
import ai.molecule.common.events.EventLog;
import ai.molecule.common.events.LiveEvent;
import ai.molecule.common.json.Json;
import ai.molecule.common.testing.TestConfig;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.WebSocketConnectOptions;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.ext.web.client.WebClient;
import io.vertx.ext.web.client.WebClientOptions;
import io.vertx.sqlclient.Pool;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The service as its clients meet it: real router, PostgreSQL and Redis, with {@link Organisation} for the registry. */
final class EventsFixture {

    final Vertx vertx;
    final Map<String, String> env;
    final Organisation organisation;
    final Bus bus;
    final EventLog log;
    final Database database;
    final ActivityLog activity;
    final Pool pool;
    final WebClient client;
    EventsVerticle verticle;
    String deployment;
    final int port;

    private EventsFixture(
            Vertx vertx, Organisation organisation, Map<String, String> env, EventsVerticle.Intervals intervals) {
        this.vertx = vertx;
        this.env = env;
        this.organisation = organisation;
        this.bus = new Bus(vertx);
        this.log = new EventLog(bus);
        this.activity = new ActivityLog(bus, Clock.systemUTC());
        var config = EventsConfig.fromEnv(env);
        verticle = new EventsVerticle(config, intervals);
        deployment = vertx.deployVerticle(verticle).await();
        port = verticle.actualPort();
        database = new Database(vertx, config.platform().databaseUrl(), "events", () -> {});
        pool = database.pool();
        client = WebClient.create(
                vertx,
                new WebClientOptions().setDefaultHost("127.0.0.1").setDefaultPort(port),
                new PoolOptions().setHttp1MaxSize(64));
    }

    /** With the development hatch open unless {@code overrides} say otherwise. */
    static EventsFixture start(Vertx vertx, String... overrides) {
        return start(vertx, Organisation.on(vertx), EventsVerticle.Intervals.REGULAR, overrides);
    }

    /** As an operator runs it: closed unless {@code overrides} open a door. */
    static EventsFixture production(Vertx vertx, String... overrides) {
        var env = new ArrayList<>(List.of(
                "MOLECULE_ENV",
                "production",
                "ADMIN_TOKEN",
                "root",
                "MOLECULE_BIND",
                "127.0.0.1",
                "SECRETS_ENCRYPTION_KEY",
                "0123456789abcdef0123456789abcdef"));
        env.addAll(List.of(overrides));
        return start(vertx, env.toArray(String[]::new));
    }

    static EventsFixture start(
            Vertx vertx, Organisation organisation, EventsVerticle.Intervals intervals, String... overrides) {
        var env = TestConfig.env(overrides);
        env.putIfAbsent("MOLECULE_ENV", "development");
        return new EventsFixture(vertx, organisation, env, intervals);
    }

    /** A second replica on the same stores. */
    EventsFixture replica() {
        return new EventsFixture(vertx, organisation, env, EventsVerticle.Intervals.REGULAR);
    }

    static EventsVerticle.Intervals quick(long pingMillis, long silenceMillis) {
        return new EventsVerticle.Intervals(
                Duration.ofMillis(pingMillis),
                Duration.ofMillis(silenceMillis),
                Duration.ofMillis(50),
                Duration.ofMillis(50),
                Duration.ZERO);
    }

    void stop() {
        vertx.undeploy(deployment).await();
    }

    void record(String type, @Nullable UUID workspaceId) {
        log.append(pool, type, workspaceId, Json.object().put("n", type)).await();
        log.committed();
    }

    /** Writes rows down as any service does; how many were new. */
    Future<Integer> append(List<ActivityRow> rows) {
        return committed(rows, activity.append(pool, rows));
    }

    /** The same for rows whose status goes on. */
    Future<Integer> upsert(List<ActivityRow> rows) {
        return committed(rows, activity.upsert(pool, rows));
    }

    private Future<Integer> committed(List<ActivityRow> rows, Future<Set<UUID>> written) {
        return written.map(fresh -> {
            activity.committed(rows, fresh);
            return fresh.size();
        });
    }

    /** Until so many events have their position. */
    void awaitRecorded(int count) {
        await().until(() -> recorded().size() >= count);
    }

    void live(String type, UUID workspaceId) {
        new LiveEvent(type, workspaceId, Instant.now(), Json.object().put("n", type)).publishOn(bus);
    }

    /** A canvas. */
    Peer canvas(String query) {
        return Peer.connect(this, new WebSocketConnectOptions().setURI("/ws" + query));
    }

    Peer agent(UUID id, @Nullable String token, String query) {
        var options = new WebSocketConnectOptions().setURI("/ws" + query).putHeader("X-Workspace-ID", id.toString());
        if (token != null) {
            options.putHeader("Authorization", "Bearer " + token);
        }
        return Peer.connect(this, options);
    }

    /** Somebody with a bearer and no word on who that is. */
    Peer bearer(String token, String query) {
        return Peer.connect(
                this,
                new WebSocketConnectOptions().setURI("/ws" + query).putHeader("Authorization", "Bearer " + token));
    }

    /** Status and body of a request; headers as name, value, name, value, …. */
    String get(String path, String... headers) {
        return send(HttpMethod.GET, path, null, headers);
    }

    String post(String path, String body, String... headers) {
        return send(HttpMethod.POST, path, body, headers);
    }

    String send(HttpMethod method, String path, @Nullable String body, String... headers) {
        var response = request(method, path, body, headers);
        return response.statusCode() + " " + response.bodyAsString();
    }

    HttpResponse<Buffer> request(HttpMethod method, String path, @Nullable String body, String... headers) {
        var request = client.request(method, path);
        for (int i = 0; i < headers.length; i += 2) {
            request.putHeader(headers[i], headers[i + 1]);
        }
        return (body == null ? request.send() : request.sendBuffer(Buffer.buffer(body))).await();
    }

    JsonNode json(String path) {
        return Json.stored(request(HttpMethod.GET, path, null).bodyAsString());
    }

    /** What the table says: type by position. */
    List<String> recorded() {
        var rows = pool.query("SELECT seq, event_type FROM log.events WHERE seq IS NOT NULL ORDER BY seq")
                .execute()
                .await();
        List<String> recorded = new ArrayList<>();
        rows.forEach(row -> recorded.add(row.getLong(0) + " " + row.getString(1)));
        return recorded;
    }
}
