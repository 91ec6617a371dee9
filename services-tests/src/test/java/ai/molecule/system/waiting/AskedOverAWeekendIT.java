package ai.molecule.system.waiting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.db.Postgres;
import ai.molecule.common.json.Json;
import ai.molecule.common.testing.TestConfig;
import ai.molecule.proxy.ProxyConfig;
import ai.molecule.proxy.ProxyVerticle;
import ai.molecule.registry.RegistryConfig;
import ai.molecule.registry.RegistryVerticle;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.client.WebClient;
import io.vertx.sqlclient.Pool;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An approval asked for on Friday and given on Monday, with registry, proxy and agent restarted between. */
@Tag("full")
class AskedOverAWeekendIT {

    private final Vertx vertx = Vertx.vertx();
    private final WebClient client = WebClient.create(vertx);
    private final Map<String, String> env = TestConfig.env(
            "MOLECULE_ENV", "DEVELOPMENT", "MOLECULE_BIND", "127.0.0.1", "MOLECULE_LIVENESS_TTL_SECONDS", "3600");
    private final Pool database = Postgres.pool(vertx, Objects.requireNonNull(env.get("DATABASE_URL")), "proxy");
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private volatile String task = answer("working", "");
    private String registryId = "";
    private String proxyId = "";
    private int registryPort;
    private int proxyPort;

    @BeforeEach
    void start() {
        deploy();
    }

    @AfterEach
    void stop() {
        vertx.close().await();
    }

    @Test
    void the_decision_reaches_the_agent_and_its_answer_whoever_gave_it_the_work() {
        var lead = create("Lead");
        var writer = create("Writer");
        var agent = agent();
        register(lead, "remote://no-inbound");
        register(writer, urlOf(agent));
        String id = send(
                        proxyPort,
                        HttpMethod.POST,
                        "/workspaces/" + lead.id + "/delegate",
                        "{\"target_id\":\"%s\",\"task\":\"publish the page\"}".formatted(writer.id),
                        lead.token)
                .path("delegation_id")
                .asText();
        await().until(() -> asked.contains("message/send"));
        String approval = send(
                        registryPort,
                        HttpMethod.POST,
                        "/workspaces/" + writer.id + "/approvals",
                        "{\"action\":\"publish\",\"task_id\":\"t-1\"}",
                        writer.token)
                .path("approval_id")
                .asText();
        await().until(() -> count("delegations WHERE stopped_at IS NOT NULL") == 1);

        vertx.undeploy(proxyId).await();
        vertx.undeploy(registryId).await();
        agent.close().await();
        threeDaysPass();
        deploy();
        register(writer, urlOf(agent()));
        asked.clear();
        await().until(() -> asked.contains("molecule/tasks/byMessage"));
        assertThat(entry(lead, id).path("status").asText()).isEqualTo("dispatched");

        send(
                registryPort,
                HttpMethod.POST,
                "/workspaces/%s/approvals/%s/decide".formatted(writer.id, approval),
                "{\"decision\":\"approved\"}",
                null);
        task = answer("completed", ",\"artifacts\":[{\"parts\":[{\"kind\":\"text\",\"text\":\"published\"}]}]");

        await().until(() -> entry(lead, id).path("status").asText().equals("completed"));
        assertThat(entry(lead, id).path("response_preview").asText()).isEqualTo("published");
        assertThat(asked).doesNotContain("message/send"); // it was sent once, before
        assertThat(count("waits")).isZero();
    }

    private record Workspace(String id, String token) {}

    private void deploy() {
        var registry = new RegistryVerticle(RegistryConfig.fromEnv(env));
        registryId = vertx.deployVerticle(registry).await();
        registryPort = registry.actualPort();
        env.put("REGISTRY_URL", "http://127.0.0.1:" + registryPort);
        var proxy = new ProxyVerticle(ProxyConfig.fromEnv(env));
        proxyId = vertx.deployVerticle(proxy).await();
        proxyPort = proxy.actualPort();
    }

    /** As if all that the services keep about it had happened so much earlier. */
    private void threeDaysPass() {
        String[] changes = {
            "UPDATE registry.approvals SET created_at = created_at - d, expires_at = expires_at - d FROM (SELECT interval '3 days' AS d) AS days",
            "UPDATE proxy.waits SET since = since - interval '3 days'",
            "UPDATE proxy.delegations SET created_at = created_at - d, deadline = deadline - d, due_at = due_at - d, touched_at = touched_at - d, "
                    + "stopped_at = stopped_at - d FROM (SELECT interval '3 days' AS d) AS days",
            "UPDATE proxy.tasks SET started_at = started_at - interval '3 days'"
        };
        for (String change : changes) {
            database.query(change).execute().await();
        }
    }

    private HttpServer agent() {
        return vertx.createHttpServer()
                .requestHandler(request -> request.body().onSuccess(body -> answer(request, body)))
                .listen(0, "127.0.0.1")
                .await();
    }

    private void answer(HttpServerRequest request, Buffer body) {
        String method = Json.stored(body.toString()).path("method").asText();
        asked.add(method);
        if (method.startsWith("molecule/")) {
            request.response().putHeader("Content-Type", "application/json").end(task);
        }
    }

    private static String urlOf(HttpServer server) {
        return "http://localhost:" + server.actualPort(); // the registry takes loopback by that name only
    }

    private Workspace create(String name) {
        var created = send(
                registryPort,
                HttpMethod.POST,
                "/workspaces",
                "{\"name\":\"%s\",\"external\":true}".formatted(name),
                null);
        return new Workspace(
                created.path("id").asText(),
                created.at("/connection/auth_token").asText());
    }

    private void register(Workspace workspace, String url) {
        send(
                registryPort,
                HttpMethod.POST,
                "/registry/register",
                "{\"id\":\"%s\",\"url\":\"%s\",\"agent_card\":{\"name\":\"A\"}}".formatted(workspace.id, url),
                workspace.token);
    }

    /** The delegation as its source sees it: request, and outcome where there is one. */
    private JsonNode entry(Workspace source, String delegationId) {
        for (var entry :
                send(proxyPort, HttpMethod.GET, "/workspaces/" + source.id + "/delegations", "", source.token)) {
            if (entry.path("delegation_id").asText().equals(delegationId)) {
                return entry;
            }
        }
        throw new AssertionError("not listed: " + delegationId);
    }

    private JsonNode send(int port, HttpMethod method, String path, String body, @Nullable String token) {
        var request = client.request(method, port, "127.0.0.1", path);
        if (token != null) {
            request.putHeader("Authorization", "Bearer " + token);
        }
        var answer = (body.isEmpty() ? request.send() : request.sendBuffer(Buffer.buffer(body))).await();
        if (answer.statusCode() >= 300) {
            throw new AssertionError(path + " " + answer.statusCode() + " " + answer.bodyAsString());
        }
        return Json.stored(answer.bodyAsString());
    }

    private long count(String table) {
        return database.query("SELECT count(*) FROM " + table)
                .execute()
                .await()
                .iterator()
                .next()
                .getLong(0);
    }

    private static String answer(String state, String more) {
        return "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"kind\":\"task\",\"id\":\"t-1\",\"status\":{\"state\":\"%s\"}%s}}"
                .formatted(state, more);
    }
}
