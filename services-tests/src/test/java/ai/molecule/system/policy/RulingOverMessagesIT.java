package ai.molecule.system.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.json.Json;
import ai.molecule.common.testing.TestConfig;
import ai.molecule.events.EventsConfig;
import ai.molecule.events.EventsVerticle;
import ai.molecule.proxy.ProxyConfig;
import ai.molecule.proxy.ProxyVerticle;
import ai.molecule.registry.RegistryConfig;
import ai.molecule.registry.RegistryVerticle;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.ext.web.client.WebClient;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A rule is tried on what was said, then observed, then enforced, by registry, proxy and hub together. */
class RulingOverMessagesIT {

    private static final String HELLO = "{\"method\":\"message/send\",\"params\":{\"message\":{\"messageId\":\"m-%d\","
            + "\"role\":\"user\",\"parts\":[{\"kind\":\"text\",\"text\":\"hello\"}]}}}";
    private static final String RULE =
            "{\"refuse_when\":\"caller.name == 'Writer' && caller.tier < 3\",\"says\":\"ask Kim\",\"mode\":\"%s\"}";
    private static final String SENTENCE = "the policy rule low of Lead %s this: ask Kim";

    private final Vertx vertx = Vertx.vertx();
    private final WebClient client = WebClient.create(vertx);
    private int registryPort;
    private int proxyPort;
    private int eventsPort;
    private int sent;

    private record Workspace(String id, String token) {}

    @BeforeEach
    void start() {
        var env = TestConfig.env(
                "MOLECULE_ENV", "DEVELOPMENT", "MOLECULE_BIND", "127.0.0.1", "MOLECULE_LIVENESS_TTL_SECONDS", "3600");
        var registry = new RegistryVerticle(RegistryConfig.fromEnv(env));
        vertx.deployVerticle(registry).await();
        registryPort = registry.actualPort();
        env.put("REGISTRY_URL", "http://127.0.0.1:" + registryPort);
        var events = new EventsVerticle(EventsConfig.fromEnv(env));
        vertx.deployVerticle(events).await();
        eventsPort = events.actualPort();
        var proxy = new ProxyVerticle(ProxyConfig.fromEnv(env));
        vertx.deployVerticle(proxy).await();
        proxyPort = proxy.actualPort();
    }

    @AfterEach
    void stop() {
        vertx.close().await();
    }

    @Test
    void what_was_tried_is_what_is_observed_and_then_refused() {
        var lead = agent("Lead", 3, null);
        var writer = agent("Writer", 2, lead.id);
        var reader = agent("Reader", 3, lead.id);
        assertThat(said(writer, lead)).isEqualTo(200);
        assertThat(said(writer, lead)).isEqualTo(200);
        assertThat(said(reader, lead)).isEqualTo(200);
        String rules = "/workspaces/" + lead.id + "/policy";

        await().untilAsserted(() -> {
            var tried = json(send(
                    registryPort,
                    HttpMethod.POST,
                    rules + "/test",
                    "{\"since_secs\":3600,\"refuse_when\":\"caller.name == 'Writer' && caller.tier < 3\"}",
                    null));
            assertThat(tried.path("calls").asInt()).isEqualTo(3);
            assertThat(tried.at("/rules/0/would_refuse").asInt()).isEqualTo(2);
            assertThat(tried.at("/rules/0/latest/0/caller_name").asText()).isEqualTo("Writer");
        });

        assertThat(send(registryPort, HttpMethod.PUT, rules + "/low", RULE.formatted("observe"), null)
                        .statusCode())
                .isEqualTo(200);
        assertThat(said(writer, lead)).isEqualTo(200);
        await().untilAsserted(() -> assertThat(rows(lead, "observed")).contains(SENTENCE.formatted("would refuse")));

        send(registryPort, HttpMethod.PUT, rules + "/low", RULE.formatted("enforce"), null);
        await().untilAsserted(() -> assertThat(said(writer, lead)).isEqualTo(403));
        assertThat(said(reader, lead)).isEqualTo(200);
        await().untilAsserted(() -> assertThat(rows(lead, "refused")).contains(SENTENCE.formatted("refuses")));
        var explained = json(send(
                registryPort, HttpMethod.GET, "/explain?caller=%s&target=%s".formatted(writer.id, lead.id), "", null));
        assertThat(explained.path("rule").asText()).isEqualTo("policy");
        assertThat(explained.path("says").asText()).isEqualTo(SENTENCE.formatted("refuses"));

        send(registryPort, HttpMethod.DELETE, rules + "/low", "", null);
        await().untilAsserted(() -> assertThat(said(writer, lead)).isEqualTo(200));
    }

    @Test
    void a_rule_about_a_tool_holds_at_its_route_by_the_front_door_and_past_it() {
        var lead = agent("Lead", 3, null);
        var writer = agent("Writer", 2, lead.id);
        String memory = "{\"content\":\"c\",\"scope\":\"LOCAL\"}";
        String memories = "/workspaces/" + writer.id + "/memories";
        String notify = "/workspaces/" + writer.id + "/notify";
        String note = "{\"message\":\"m\"}";
        assertThat(send(registryPort, HttpMethod.POST, memories, memory, writer.token)
                        .statusCode())
                .isBetween(200, 299);
        assertThat(send(eventsPort, HttpMethod.POST, notify, note, writer.token).statusCode())
                .isBetween(200, 299);

        send(
                registryPort,
                HttpMethod.PUT,
                "/workspaces/" + lead.id + "/policy/quiet",
                "{\"refuse_when\":\"tool in ['commit_memory', 'send_message_to_user']\",\"mode\":\"enforce\"}",
                null);

        await().untilAsserted(() -> {
            assertThat(send(registryPort, HttpMethod.POST, memories, memory, writer.token)
                            .statusCode())
                    .isEqualTo(403);
            assertThat(send(proxyPort, HttpMethod.POST, memories, memory, writer.token)
                            .statusCode())
                    .isEqualTo(403);
            assertThat(send(eventsPort, HttpMethod.POST, notify, note, writer.token)
                            .statusCode())
                    .isEqualTo(403);
        });
        assertThat(send(registryPort, HttpMethod.GET, memories, "", writer.token)
                        .statusCode())
                .isEqualTo(200);
    }

    private String rows(Workspace of, String status) {
        var rows =
                json(send(eventsPort, HttpMethod.GET, "/workspaces/" + of.id + "/activity?type=policy", "", of.token));
        return rows.findValuesAsText("status").contains(status) ? rows.toString() : "";
    }

    private int said(Workspace from, Workspace to) {
        return send(proxyPort, HttpMethod.POST, "/workspaces/" + to.id + "/a2a", HELLO.formatted(++sent), from.token)
                .statusCode();
    }

    /** With an agent that answers everything alike. */
    private Workspace agent(String name, int tier, @Nullable String parent) {
        var server = vertx.createHttpServer()
                .requestHandler(request -> request.body()
                        .onSuccess(body -> request.response()
                                .putHeader("Content-Type", "application/json")
                                .end("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}")))
                .listen(0, "127.0.0.1")
                .await();
        String below = parent == null ? "" : ",\"parent_id\":\"%s\"".formatted(parent);
        var created = json(send(
                registryPort,
                HttpMethod.POST,
                "/workspaces",
                "{\"name\":\"%s\",\"external\":true,\"tier\":%d%s}".formatted(name, tier, below),
                null));
        var made = new Workspace(
                created.path("id").asText(),
                created.at("/connection/auth_token").asText());
        String url = "http://localhost:" + server.actualPort(); // the registry takes loopback by that name only
        var registered = send(
                registryPort,
                HttpMethod.POST,
                "/registry/register",
                "{\"id\":\"%s\",\"url\":\"%s\",\"agent_card\":{\"name\":\"A\"}}".formatted(made.id, url),
                made.token);
        assertThat(registered.statusCode()).as(registered.bodyAsString()).isEqualTo(200);
        return made;
    }

    private static JsonNode json(HttpResponse<Buffer> answer) {
        assertThat(answer.statusCode()).as(answer.bodyAsString()).isBetween(200, 299);
        return Json.stored(answer.bodyAsString());
    }

    private HttpResponse<Buffer> send(int port, HttpMethod method, String path, String body, @Nullable String token) {
        var request = client.request(method, port, "127.0.0.1", path);
        if (token != null) {
            request.putHeader("Authorization", "Bearer " + token);
        }
        return (body.isEmpty() ? request.send() : request.sendBuffer(Buffer.buffer(body))).await();
    }
}
