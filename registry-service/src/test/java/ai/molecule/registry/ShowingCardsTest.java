package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.bus.registry.UnmeteredWorkspaces;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.http.HttpMethod;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Cards at the front door: which members for which version, at which address, and who may read them. */
class ShowingCardsTest {

    private static final String PATH = "/.well-known/agent-card.json";

    private static final String CARD = """
            {"name":"Writer","description":"writes","version":"1.2.0","protocolVersion":"0.3.0","url":"http://10.0.0.7:8000",
             "additionalInterfaces":[{"transport":"JSONRPC","url":"http://10.0.0.7:8000"}],
             "supportedInterfaces":[{"protocolBinding":"JSONRPC","protocolVersion":"1.0","url":"http://10.0.0.7:8000"}],
             "capabilities":{"streaming":false,"extensions":[{"uri":"urn:x"}]},
             "skills":[{"id":"prose"},"nonsense"],"defaultInputModes":["text/markdown"],"secret":"not a card's"}""";

    @SuppressWarnings("NullAway.Init")
    private static RunningRegistry open;

    @SuppressWarnings("NullAway.Init")
    private static RunningRegistry closed;

    @BeforeAll
    static void start() {
        open = RunningRegistry.start("EXTERNAL_PLATFORM_URL", "https://front.example/");
        closed = RunningRegistry.startInProduction();
    }

    @AfterAll
    static void stop() {
        open.close();
        closed.close();
    }

    @Test
    void whoever_does_not_say_which_version_gets_a_card_for_both() {
        String id = registered();

        var card = card(id, null);

        assertThat(card.path("url").asText()).isEqualTo("https://front.example/workspaces/" + id + "/a2a");
        assertThat(card.path("protocolVersion").asText()).isEqualTo("0.3.0");
        assertThat(card.path("supportedInterfaces").toString())
                .isEqualTo(("[{\"url\":\"https://front.example/workspaces/%s/a2a\",\"protocolBinding\":\"JSONRPC\","
                                + "\"protocolVersion\":\"1.0\"},{\"url\":\"https://front.example/workspaces/%s/a2a\","
                                + "\"protocolBinding\":\"HTTP+JSON\",\"protocolVersion\":\"1.0\"},"
                                + "{\"url\":\"https://front.example/workspaces/%s/a2a\","
                                + "\"protocolBinding\":\"JSONRPC\",\"protocolVersion\":\"0.3\"}]")
                        .formatted(id, id, id));
        assertThat(card.path("skills").toString())
                .isEqualTo("[{\"id\":\"prose\",\"name\":\"prose\",\"description\":\"prose\",\"tags\":[\"prose\"]}]");
        assertThat(card.at("/capabilities/pushNotifications").asBoolean())
                .as("the platform tells of every agent's tasks")
                .isTrue();
        assertThat(card.at("/capabilities/streaming").asBoolean()).isTrue();
        assertThat(card.toString()).contains("urn:x").doesNotContain("10.0.0.7", "secret");
    }

    @Test
    void each_version_gets_its_own_members_and_none_of_the_other() {
        String id = registered();

        assertThat(names(card(id, "0.3")))
                .containsExactly(
                        "protocolVersion",
                        "name",
                        "description",
                        "url",
                        "preferredTransport",
                        "version",
                        "capabilities",
                        "defaultInputModes",
                        "defaultOutputModes",
                        "skills",
                        "signatures");
        assertThat(names(card(id, "1.0")))
                .containsExactly(
                        "name",
                        "description",
                        "supportedInterfaces",
                        "version",
                        "capabilities",
                        "defaultInputModes",
                        "defaultOutputModes",
                        "skills",
                        "signatures");
        assertThat(open.get("/workspaces/" + id + PATH, null, "A2A-Version", "2.0"))
                .hasToString("400 {\"error\":\"A2A-Version must be 0.3 or 1.0\"}");
    }

    @Test
    void one_that_never_said_what_it_can_has_a_card_too_under_either_name() {
        String id = open.create("Silent", "\"role\":\"Listens\"");

        var card =
                open.get("/workspaces/" + id + "/.well-known/agent.json", null).json();

        assertThat(card.path("name").asText()).isEqualTo("Silent");
        assertThat(card.path("description").asText()).isEqualTo("Listens");
        assertThat(card.path("supportedInterfaces").findValuesAsText("protocolVersion"))
                .containsExactly("0.3", "1.0", "1.0");
        assertThat(card.path("defaultOutputModes").toString()).isEqualTo("[\"text/plain\"]");
        assertThat(open.get("/workspaces/" + UUID.randomUUID() + PATH, null).status())
                .isEqualTo(404);
        assertThat(open.get("/workspaces/nonsense" + PATH, null).status()).isEqualTo(400);
    }

    @Test
    void what_a_client_has_already_is_not_sent_again() {
        String id = registered();
        var first = open.response(HttpMethod.GET, "/workspaces/" + id + PATH);

        assertThat(first.getHeader("Cache-Control")).isEqualTo("private, max-age=30");
        assertThat(first.headers().getAll("Vary")).anyMatch(vary -> vary.contains("A2A-Version"));
        assertThat(open.get("/workspaces/" + id + PATH, null, "If-None-Match", first.getHeader("ETag"))
                        .status())
                .isEqualTo(304);
        open.register(id, "http://localhost:8002", CARD.replace("\"writes\"", "\"writes more\""), open.token(id));
        assertThat(open.get("/workspaces/" + id + PATH, null, "If-None-Match", first.getHeader("ETag"))
                        .status())
                .isEqualTo(200);
    }

    @Test
    void in_production_a_card_is_shown_to_a_credential_or_where_an_operator_made_it_public() {
        String id = closed.create("Guarded", "\"external\":true");
        String other = closed.create("Other", "\"external\":true");
        String path = "/workspaces/" + id + PATH;

        assertThat(closed.get(path, null)).hasToString("401 {\"error\":\"missing auth token\"}");
        assertThat(closed.get("/workspaces/" + UUID.randomUUID() + PATH, null))
                .hasToString("401 {\"error\":\"missing auth token\"}");
        assertThat(closed.get(path, "guessed").status()).isEqualTo(401);
        var shown = closed.get(path, closed.mint(other)).json();
        assertThat(shown.path("security").toString()).isEqualTo("[{\"bearer\":[]}]");
        assertThat(closed.get(path, ADMIN, "A2A-Version", "1.0")
                        .json()
                        .path("securityRequirements")
                        .toString())
                .isEqualTo("[{\"schemes\":{\"bearer\":{\"list\":[\"messages\"]}}}]");

        assertThat(closed.patch("/workspaces/" + id, "{\"public_card\":true}", closed.mint(id)))
                .hasToString("403 {\"error\":\"only an administrator may make a card public or private\"}");
        assertThat(closed.get(path, null).status()).isEqualTo(401);
        closed.patch("/workspaces/" + id, "{\"public_card\":true}", ADMIN);
        assertThat(closed.get(path, null).status()).isEqualTo(200);
        assertThat(closed.see(id).path("public_card").asBoolean()).isTrue();
        assertThat(closed.events(id)).anyMatch(event -> event.contains("\"public_card\":true"));

        closed.post("/workspaces/" + id + "/quarantine", "{}", ADMIN);
        assertThat(closed.get(path, null).status()).isEqualTo(401);
        closed.delete("/workspaces/" + other, ADMIN);
        assertThat(closed.get("/workspaces/" + other + PATH, ADMIN).status()).isEqualTo(404);
    }

    @Test
    void the_catalog_names_whom_the_caller_may_talk_to() {
        try (var registry = RunningRegistry.startInProduction()) {
            String root = registry.create("Root", "\"external\":true");
            String me = registry.create("Me", "\"external\":true", "\"parent_id\":\"%s\"".formatted(root));
            String sibling = registry.create("Sibling", "\"external\":true", "\"parent_id\":\"%s\"".formatted(root));
            String far = registry.create("Far", "\"external\":true", "\"parent_id\":\"%s\"".formatted(sibling));

            assertThat(agents(registry, "", registry.mint(me))).containsExactlyInAnyOrder(root, sibling);
            assertThat(agents(registry, "", ADMIN))
                    .containsExactlyInAnyOrder(root, me, sibling, far)
                    .isSorted();
            assertThat(agents(registry, "?limit=2", ADMIN)).hasSize(2);
            var second = agents(registry, "?limit=3", ADMIN).get(1);
            assertThat(agents(registry, "?after=" + second, ADMIN)).hasSize(2);
            assertThat(registry.get("/.well-known/agents", null).status()).isEqualTo(401);
            assertThat(registry.get("/.well-known/agents?limit=0", ADMIN).status())
                    .isEqualTo(400);
            assertThat(registry.get("/.well-known/agents?after=x", ADMIN).status())
                    .isEqualTo(400);
            assertThat(registry.get("/.well-known/agents", registry.mint(far))
                            .json()
                            .path("agents")
                            .findValuesAsText("card_url"))
                    .singleElement()
                    .asString()
                    .endsWith("/workspaces/" + sibling + PATH);

            assertThat(registry.get(PATH, ADMIN).json().path("name").asText()).isEqualTo("Root");
            assertThat(registry.get(PATH, null).status()).isEqualTo(401);
            registry.create("Second root", "\"external\":true");
            assertThat(registry.get(PATH, ADMIN))
                    .hasToString(
                            "404 {\"error\":\"no single agent leads this organisation, see /.well-known/agents\"}");
        }
    }

    @Test
    void a_card_that_tells_of_a_login_of_its_own_makes_it_one_that_nobody_meters() {
        String id = registered();
        assertThat(open.see(id).has("metered")).isFalse();

        open.register(id, "http://localhost:8002", CARD.replace("urn:x", "urn:molecule:a2a:own-login"), open.token(id));

        assertThat(open.see(id).path("metered").asText()).isEqualTo("false");
        assertThat(open.bus
                        .call(UnmeteredWorkspaces.CONTRACT, new UnmeteredWorkspaces())
                        .await()
                        .ids())
                .contains(UUID.fromString(id));
    }

    @Test
    void an_agent_whose_card_has_a_name_like_that_of_one_near_it_is_shown_by_its_workspaces_own() {
        String lead = open.create("Team Lead");
        open.child("Alpha", lead);
        open.child("Twin", lead);
        String id = open.child("Twin", lead);
        String child = open.child("Payments", id);

        for (String borrowed : List.of("Alpha", "\\u0410lpha", "ALPHA\\u200b", "team lead", "Payment\\u0455")) {
            open.register(
                    id, "http://localhost:8002", CARD.replace("\"Writer\"", "\"" + borrowed + "\""), open.token(id));
            assertThat(card(id, "1.0").path("name").asText()).as(borrowed).isEqualTo("Twin");
        }
        for (String own : List.of("Twin", "TWIN", "Writer", "Alphabet")) {
            open.register(id, "http://localhost:8002", CARD.replace("\"Writer\"", "\"" + own + "\""), open.token(id));
            assertThat(card(id, "1.0").path("name").asText()).as(own).isEqualTo(own);
        }
        assertThat(card(child, "1.0").path("name").asText()).isEqualTo("Payments");
        open.register(child, "http://localhost:8002", CARD.replace("\"Writer\"", "\"Alpha\""), null);
        assertThat(card(child, "1.0").path("name").asText())
                .as("nobody near it has that name")
                .isEqualTo("Alpha");
    }

    private static String registered() {
        String id = open.create("Row");
        open.register(id, "http://localhost:8002", CARD, null);
        return id;
    }

    private static JsonNode card(String id, @Nullable String version) {
        return version == null
                ? open.get("/workspaces/" + id + PATH, null).json()
                : open.get("/workspaces/" + id + PATH, null, "A2A-Version", version)
                        .json();
    }

    private static List<String> names(JsonNode card) {
        return ((ObjectNode) card)
                .properties().stream().map(member -> member.getKey()).toList();
    }

    private static List<String> agents(RunningRegistry registry, String query, String bearer) {
        return registry.get("/.well-known/agents" + query, bearer)
                .json()
                .path("agents")
                .findValuesAsText("id");
    }
}
