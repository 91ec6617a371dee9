package ai.molecule.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.cli.Screen;
import ai.molecule.cli.http.PlatformApi;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The demo against a platform that keeps workspaces in a map. */
class ShowingTheDemoTest {

    private final Map<String, JsonObject> workspaces = new LinkedHashMap<>();
    private final Screen screen = new Screen();
    private String statusOfNew = "online";
    private int cardStatus = 200;
    private Demo wanted = Demo.SMALL;
    private volatile String named = "";
    private HttpServer platform;
    private PlatformApi api;
    private String url;

    @BeforeEach
    void startPlatform() throws IOException {
        platform = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        platform.createContext("/workspaces", this::answer);
        platform.createContext("/org/import", this::importDemo);
        platform.createContext("/.well-known", exchange -> reply(exchange, cardStatus, "{}"));
        platform.start();
        url = "http://127.0.0.1:" + platform.getAddress().getPort();
        api = new PlatformApi(url, Optional.empty(), Optional.of("acme"));
    }

    @AfterEach
    void stopPlatform() {
        api.close();
        platform.stop(0);
    }

    @Test
    void an_empty_platform_gets_the_organisation_that_lies_ready_for_this() {
        show();

        assertThat(workspaces.values())
                .extracting(each -> each.getString("name"))
                .containsExactly("Team Lead", "Researcher", "Writer");
    }

    @Test
    void the_agents_and_a_message_to_the_lead_are_shown_beside_standard_output() {
        show();

        assertThat(screen.err())
                .contains("Team Lead", "Researcher", "Writer", "online")
                .contains(url + "/workspaces/ws-1/a2a", "-H 'X-Molecule-Org-Id: acme'")
                .contains("\"text\":\"ask Researcher: what do we know?\\nask Writer: say hello\"");
        assertThat(screen.out()).isEmpty();
    }

    @Test
    void the_four_with_recorded_brains_are_shown_too_also_by_whoever_wants_others() {
        wanted = Demo.CLUB;
        show();
        wanted = Demo.SMALL;
        show();

        assertThat(workspaces).hasSize(4);
        assertThat(screen.err().split("no key needed", -1)).hasSize(3);
        assertThat(screen.err()).contains("Tester").doesNotContain("curl");
    }

    @Test
    void the_organisation_is_called_on_the_page_as_its_file_calls_it() {
        show();

        assertThat(named).isEqualTo("PATCH /workspaces/ws-1/config {\"organisation_name\":\"Club Calendar\"}");
    }

    @Test
    void on_the_next_start_the_same_organisation_is_shown() {
        show();

        show();

        assertThat(workspaces).hasSize(3);
        assertThat(screen.err().split("try: curl", -1)).hasSize(3);
    }

    @Test
    void an_organisation_of_the_users_own_is_left_alone() {
        workspaces.put(
                "mine", new JsonObject().put("id", "mine").put("name", "Mine").put("status", "online"));

        show();

        assertThat(workspaces).hasSize(1);
        assertThat(screen.err()).isEmpty();
    }

    @Test
    void agents_that_do_not_come_are_shown_as_they_are() {
        statusOfNew = "failed";

        show();

        assertThat(screen.err()).contains("failed", "./molecule logs").doesNotContain("curl");
    }

    @Test
    void an_agent_that_is_online_on_paper_only_gets_no_message() {
        cardStatus = 503;

        show();

        assertThat(screen.err()).contains("not every agent").doesNotContain("curl");
    }

    @Test
    void a_platform_that_refuses_is_no_reason_to_fail() {
        platform.removeContext("/workspaces");

        show();

        assertThat(screen.err()).contains("could not be made");
    }

    private void show() {
        new DemoOrganisation(api, url, screen.console(), wanted, Duration.ofMillis(300)).show();
    }

    private void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        if (!isInOrganisation(exchange)) {
            reply(exchange, 404, "");
        } else if (path.endsWith("/config")) {
            named = exchange.getRequestMethod() + " " + path + " "
                    + new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            reply(exchange, 200, "{}");
        } else if (path.equals("/workspaces")) {
            var all = new JsonArray();
            workspaces.values().forEach(all::add);
            reply(exchange, 200, all.encode());
        } else {
            var found = workspaces.get(path.substring("/workspaces/".length()));
            reply(exchange, found == null ? 404 : 200, found == null ? "{}" : found.encode());
        }
    }

    private void importDemo(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(body).isEqualTo("{\"dir\":\"" + wanted.dir() + "\"}");
        assertThat(isInOrganisation(exchange)).isTrue();
        var created = new JsonArray();
        for (String name : wanted.names()) {
            String id = "ws-" + (workspaces.size() + 1);
            var workspace = new JsonObject().put("id", id).put("name", name);
            created.add(workspace);
            workspaces.put(id, workspace.copy().put("status", statusOfNew).put("url", url));
        }
        reply(
                exchange,
                201,
                new JsonObject()
                        .put("org", "Club Calendar")
                        .put("workspaces", created)
                        .encode());
    }

    private static boolean isInOrganisation(HttpExchange exchange) {
        return "acme".equals(exchange.getRequestHeaders().getFirst("X-Molecule-Org-Id"));
    }

    private static void reply(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }
}
