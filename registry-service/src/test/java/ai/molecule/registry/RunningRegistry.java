package ai.molecule.registry;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.db.Database;
import ai.molecule.common.events.LiveEvent;
import ai.molecule.common.events.LiveEvents;
import ai.molecule.common.json.Json;
import ai.molecule.common.testing.TestConfig;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.ext.web.client.WebClient;
import io.vertx.ext.web.client.WebClientOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** A whole registry on a fresh database and a free port, and a client for it. */
public final class RunningRegistry implements AutoCloseable {

    /** What came back. */
    public record Answer(int status, String body) {

        public JsonNode json() {
            try {
                return Json.parse(body.getBytes(StandardCharsets.UTF_8));
            } catch (IOException malformed) {
                throw new UncheckedIOException(malformed);
            }
        }

        public String text(String member) {
            return json().path(member).asText();
        }

        @Override
        public String toString() {
            return status + " " + body;
        }
    }

    static final String ADMIN = "root-token";

    final Vertx vertx = Vertx.vertx();
    final Bus bus = new Bus(vertx);
    final RegistryVerticle verticle;
    final Database database;
    final Pool pool;
    final String databaseUrl;
    final List<LiveEvent> live = new CopyOnWriteArrayList<>();
    private final WebClient client;

    private RunningRegistry(Clock clock, String... overrides) {
        var env = TestConfig.env(overrides);
        env.putIfAbsent("RATE_LIMIT", "1000000");
        env.putIfAbsent("MOLECULE_BIND", "127.0.0.1");
        var config = RegistryConfig.fromEnv(env);
        verticle = new RegistryVerticle(config, clock);
        bus.listen(LiveEvents.HINT, together -> live.addAll(together.events()));
        vertx.deployVerticle(verticle).await();
        databaseUrl = config.platform().databaseUrl();
        database = new Database(vertx, databaseUrl, "registry", () -> {});
        pool = database.pool();
        client = WebClient.create(
                vertx, new WebClientOptions().setDefaultHost("127.0.0.1").setDefaultPort(verticle.actualPort()));
    }

    /** With {@link #ADMIN} as its admin token. */
    static RunningRegistry start(String... overrides) {
        var all = new ArrayList<>(List.of("ADMIN_TOKEN", ADMIN));
        all.addAll(Arrays.asList(overrides));
        return new RunningRegistry(Clock.systemUTC(), all.toArray(String[]::new));
    }

    /** Without an admin token, as on a machine where nothing is configured. */
    static RunningRegistry startBare(String... overrides) {
        return new RunningRegistry(Clock.systemUTC(), overrides);
    }

    static RunningRegistry startAt(Clock clock, String... overrides) {
        var all = new ArrayList<>(List.of("ADMIN_TOKEN", ADMIN));
        all.addAll(Arrays.asList(overrides));
        return new RunningRegistry(clock, all.toArray(String[]::new));
    }

    /** With every compatibility door closed but those that {@code overrides} open. */
    static RunningRegistry startInProduction(String... overrides) {
        return startInProduction(Clock.systemUTC(), overrides);
    }

    static RunningRegistry startInProduction(Clock clock, String... overrides) {
        var all = new ArrayList<>(
                List.of("MOLECULE_ENV", "production", "SECRETS_ENCRYPTION_KEY", "0123456789-abcdef-0123456789-abc"));
        all.addAll(Arrays.asList(overrides));
        return startAt(clock, all.toArray(String[]::new));
    }

    Answer get(String path, @Nullable String bearer, String... headers) {
        return send(HttpMethod.GET, path, null, bearer, headers);
    }

    Answer post(String path, String body, @Nullable String bearer) {
        return send(HttpMethod.POST, path, body, bearer);
    }

    Answer patch(String path, String body, @Nullable String bearer) {
        return send(HttpMethod.PATCH, path, body, bearer);
    }

    Answer put(String path, String body, @Nullable String bearer) {
        return send(HttpMethod.PUT, path, body, bearer);
    }

    Answer delete(String path, @Nullable String bearer) {
        return send(HttpMethod.DELETE, path, null, bearer);
    }

    Answer send(HttpMethod method, String path, @Nullable String body, @Nullable String bearer, String... headers) {
        var request = client.request(method, path);
        if (bearer != null) {
            request.putHeader("Authorization", "Bearer " + bearer);
        }
        for (int i = 0; i < headers.length; i += 2) {
            request.putHeader(headers[i], headers[i + 1]);
        }
        var response = (body == null ? request.send() : request.sendBuffer(Buffer.buffer(body))).await();
        return new Answer(response.statusCode(), String.valueOf(response.bodyAsString()));
    }

    /** With its headers. */
    HttpResponse<Buffer> response(HttpMethod method, String path) {
        return client.request(method, path).send().await();
    }

    /** @param members further members of the body, such as {@code "parent_id":"…"} */
    String create(String name, String... members) {
        var rest = members.length == 0 ? "" : "," + String.join(",", members);
        return post("/workspaces", "{\"name\":\"%s\"%s}".formatted(name, rest), ADMIN)
                .text("id");
    }

    String child(String name, String parentId) {
        return create(name, "\"parent_id\":\"%s\"".formatted(parentId));
    }

    String token(String id) {
        return get("/admin/workspaces/" + id + "/test-token", ADMIN).text("auth_token");
    }

    Answer register(String id, String url, String card, @Nullable String bearer) {
        return post(
                "/registry/register",
                "{\"id\":\"%s\",\"url\":\"%s\",\"agent_card\":%s}".formatted(id, url, card),
                bearer);
    }

    Answer beat(String id, String members, @Nullable String bearer) {
        return post("/registry/heartbeat", "{\"workspace_id\":\"%s\"%s}".formatted(id, members), bearer);
    }

    /** Minted by an administrator, as in production too. */
    String mint(String id) {
        return post("/workspaces/" + id + "/tokens", "", ADMIN).text("auth_token");
    }

    String status(String id) {
        return get("/workspaces/" + id, ADMIN).text("status");
    }

    JsonNode see(String id) {
        return get("/workspaces/" + id, ADMIN).json();
    }

    RowSet<Row> sql(String statement, Object... parameters) {
        return pool.preparedQuery(statement).execute(Tuple.from(parameters)).await();
    }

    long count(String table) {
        return sql("SELECT count(*) FROM " + table).iterator().next().getLong(0);
    }

    /** Recorded events of a workspace, oldest first, as {@code TYPE payload}. */
    List<String> events(String id) {
        return sql(
                        "SELECT event_type, payload::text AS payload FROM log.events WHERE workspace_id = $1 ORDER BY id",
                        UUID.fromString(id))
                .stream()
                .map(row -> row.getString("event_type") + " " + Json.stored(row.getString("payload")))
                .toList();
    }

    List<String> eventTypes(String id) {
        return events(id).stream().map(event -> event.split(" ", 2)[0]).toList();
    }

    @Override
    public void close() {
        vertx.close().await();
    }
}
