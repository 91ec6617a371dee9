package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.auth.Guard;
import ai.molecule.registry.notkept.NotKept;
import io.vertx.core.http.HttpMethod;
import java.util.Arrays;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What no client should send: the documented 4xx, and nothing stored. */
class SendingBadInputTest {

    /** Nothing can be made there, whatever is sent: 501. */
    private static final Set<String> NOT_KEPT =
            Arrays.stream(NotKept.values()).map(NotKept::path).collect(Collectors.toSet());

    @SuppressWarnings("NullAway.Init")
    private static RunningRegistry registry;

    @BeforeAll
    static void start() {
        registry = RunningRegistry.start();
    }

    @AfterAll
    static void stop() {
        registry.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "null",
                "[]",
                "7",
                "\"text\"",
                "{",
                "{\"name\":",
                "{\"name\":\"a\\u0000b\",\"id\":\"x\",\"workspace_id\":\"x\",\"x\":\"\",\"caller_id\":3}",
                "{\"name\":{},\"id\":{},\"workspace_id\":[],\"x\":true,\"caller_id\":{}}",
                "{\"name\":null,\"id\":null,\"workspace_id\":null,\"x\":[],\"caller_id\":null}",
                "\u00ff\u00fe"
            })
    void a_body_that_makes_no_sense_is_the_clients_error_on_every_route(String body) {
        String id = registry.create("Target");
        long workspaces = registry.count("workspaces");

        for (var route : registry.verticle.routes()) {
            String path = route.path().replace(":id", id).replace(":tokenId", id);
            if (route.method().equals(HttpMethod.GET)
                    || route.method().equals(HttpMethod.DELETE)
                    || path.endsWith("/tokens")
                    || path.endsWith("/rotate")
                    || path.endsWith("/admit")
                    || path.endsWith("/quarantine")
                    || path.endsWith("/restore")
                    || NOT_KEPT.contains(route.path())
                    || route.guard() == Guard.PERSON // an administrator's token is nobody's name: 401
                    || path.endsWith("/first-owner")
                    || path.endsWith("/link")
                    || path.startsWith("/sign-in/") // no such provider: 404
                    || path.endsWith("/config")) { // needs no body, or takes any object
                continue;
            }
            var answer = registry.send(route.method(), path, body, ADMIN);
            boolean harmless = route.path().equals("/workspaces/:id") && body.contains("null,\"id\"");
            if (route.path().equals("/people/:id") && body.contains("null,\"id\"")) {
                continue; // says nothing, of somebody who is not there: 404
            }
            int expected = harmless
                    ? 200
                    : route.path().equals("/session") && answer.status() == 401 ? 401 : 400; // shows nothing
            assertThat(answer.status()).as(path + " " + body).isEqualTo(expected);
            assertThat(harmless || answer.body().startsWith("{\"error\":\"")).isTrue();
        }
        assertThat(registry.count("workspaces")).isEqualTo(workspaces);
        assertThat(registry.eventTypes(id)).containsExactly("WORKSPACE_PROVISIONING");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "error_rate|\"high\"",
                "error_rate|1e400",
                "active_tasks|1.5",
                "active_tasks|99999999999",
                "uptime_seconds|\"1\"",
                "current_task|{}",
                "sample_error|1",
                "monthly_spend|1e30",
                "runtime_metadata|\"x\"",
                "runtime_metadata|{\"capabilities\":[1]}"
            })
    void a_heartbeat_with_a_wrong_value_is_refused_whole(String member, String value) {
        String id = registry.create("Target");

        assertThat(registry.beat(id, ",\"%s\":%s".formatted(member, value), null))
                .hasToString("400 {\"error\":\"invalid request body\"}");
        assertThat(registry.status(id)).isEqualTo("provisioning");
    }

    @Test
    void ids_that_are_no_uuids_are_never_a_500() {
        String card = ",\"agent_card\":{}}";
        assertThat(registry.post("/registry/register", "{\"id\":\"x\",\"url\":\"http://localhost\"" + card, null))
                .hasToString("400 {\"error\":\"invalid request body\"}");
        assertThat(registry.post("/registry/heartbeat", "{\"workspace_id\":\"x\"}", null))
                .hasToString("400 {\"error\":\"invalid request body\"}");
        assertThat(registry.post("/registry/update-card", "{\"workspace_id\":\"x\"" + card, null))
                .hasToString("400 {\"error\":\"invalid request body\"}");
        for (var route : registry.verticle.routes()) {
            String path = route.path().replace(":id", "%00nonsense").replace(":tokenId", "nonsense");
            String body =
                    route.method().equals(HttpMethod.GET) || route.method().equals(HttpMethod.DELETE) ? null : "{}";
            var answer = registry.send(route.method(), path, body, ADMIN, "X-Workspace-ID", "nonsense");
            assertThat(answer.status())
                    .as(route + " " + answer)
                    .matches(status -> status < 500 || status == 501 && NOT_KEPT.contains(route.path()));
        }
    }

    @Test
    void a_body_too_large_or_too_deep_is_refused() {
        String id = UUID.randomUUID().toString();
        String large = "{\"workspace_id\":\"%s\",\"current_task\":\"%s\"}".formatted(id, "x".repeat(1_100_000));
        String deep = "{\"id\":\"%s\",\"url\":\"http://localhost:1\",\"agent_card\":%s%s}"
                .formatted(id, "[".repeat(500), "]".repeat(500));

        assertThat(registry.post("/registry/heartbeat", large, null))
                .hasToString("413 {\"error\":\"request body too large\"}");
        assertThat(registry.post("/registry/register", deep, null))
                .hasToString("400 {\"error\":\"invalid request body\"}");
        assertThat(registry.get("/workspaces/" + id, null).status()).isEqualTo(404);
    }

    @Test
    void a_card_whose_numbers_the_database_cannot_hold_is_the_clients_error() {
        String id = registry.create("Target");

        assertThat(registry.register(id, "http://localhost:1", "{\"n\":1e999999}", null))
                .hasToString("400 {\"error\":\"invalid request body\"}");
        assertThat(registry.status(id)).isEqualTo("provisioning");
    }

    @Test
    void unknown_paths_and_methods_are_not_found_in_json() {
        assertThat(registry.get("/nowhere", null)).hasToString("404 {\"error\":\"not found\"}");
        assertThat(registry.delete("/registry/register", ADMIN)).hasToString("404 {\"error\":\"not found\"}");
    }
}
