package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.bus.ReconcilerStatus;
import ai.molecule.common.bus.registry.CreateWorkspaces;
import ai.molecule.common.json.Json;
import ai.molecule.registry.RunningRegistry.Answer;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What production keeps from agents and strangers that development gives them, and how many of anything there may be. */
class ClosedDoorsTest {

    private static final String PLATFORM = "https://molecule.example";

    @SuppressWarnings("NullAway.Init")
    private static RunningRegistry registry;

    @SuppressWarnings("NullAway.Init")
    private static RunningRegistry open;

    @BeforeAll
    static void start() {
        registry = RunningRegistry.startInProduction("EXTERNAL_PLATFORM_URL", PLATFORM + "/");
        open = RunningRegistry.startInProduction(
                "MOLECULE_OPEN_SELF_MOVE", "1", "MOLECULE_OPEN_PEERS", "1", "MOLECULE_OPEN_READING", "1");
    }

    @AfterAll
    static void stop() {
        registry.close();
        open.close();
    }

    @Test
    void an_agent_neither_moves_itself_nor_takes_the_name_of_one_near_it() {
        String lead = registry.create("Team Lead");
        String other = registry.child("Other", lead);
        registry.child("Support IllC", lead);
        String me = registry.child("Me", lead);
        String token = registry.mint(me);
        String root = registry.create("Root of another team");

        assertThat(patch(me, "{\"parent_id\":\"%s\"}".formatted(root), token))
                .hasToString("403 {\"error\":\"only an administrator may move a workspace\"}");
        assertThat(patch(me, "{\"parent_id\":null}", token).status()).isEqualTo(403);
        assertThat(patch(me, "{\"name\":\" other\",\"role\":\"r\"}", token))
                .hasToString("403 {\"error\":\"only an administrator may give a workspace the name of one near it\"}");
        for (String alike :
                List.of("Team Lead", "team  lead", "TeamLead", "Team\\u200b Lead", "Ot\\u00adher", "\\uff2fther")) {
            assertThat(patch(me, "{\"name\":\"%s\"}".formatted(alike), token).status())
                    .as(alike)
                    .isEqualTo(403);
        }
        for (String alike : List.of(
                "\\u0422e\\u0430m Lead", // Cyrillic
                "TEAM L\\u0415\\u0391D", // Cyrillic and Greek
                "\\u041ethe\\uff52",
                "0ther",
                "T\\u0435am\\ufe0f Lead\\udb40\\udc41", // a selector and a tag, which show nothing
                "\\u054fupp\\u0585rt 1\\u0406\\u0399\\u03f9")) {
            assertThat(patch(me, "{\"name\":\"%s\"}".formatted(alike), token).status())
                    .as(alike)
                    .isEqualTo(403);
        }
        // what is another name to a reader stays free, in any alphabet
        for (String another : List.of("\\u0420\\u043e\\u0431\\u043e\\u0442", "Team Load", "Others")) {
            assertThat(patch(me, "{\"name\":\"%s\"}".formatted(another), token).status())
                    .as(another)
                    .isEqualTo(200);
        }
        assertThat(registry.see(me).path("role").isNull()).isTrue();
        assertThat(patch(me, "{\"name\":\"Me too\",\"parent_id\":\"%s\"}".formatted(lead), token)
                        .status())
                .isEqualTo(200);
        assertThat(patch(me, "{\"parent_id\":\"%s\",\"name\":\"Other\"}".formatted(other), ADMIN)
                        .status())
                .isEqualTo(200);
    }

    @Test
    void where_that_door_is_open_it_does() {
        String lead = open.create("Lead");
        String me = open.create("Me");

        assertThat(open.patch("/workspaces/" + me, "{\"parent_id\":\"%s\"}".formatted(lead), open.mint(me))
                        .status())
                .isEqualTo(200);
    }

    @Test
    void an_agent_is_told_the_platforms_address_of_another_and_an_administrator_the_real_one() {
        String me = registry.create("Caller", "\"external\":true");
        String peer = registry.create("Peer", "\"external\":true", "\"url\":\"http://agent.example:9\"");
        String token = registry.mint(me);
        String door = "%s/workspaces/%s/a2a".formatted(PLATFORM, peer);

        assertThat(registry.get("/registry/discover/" + peer, token, "X-Workspace-ID", me))
                .hasToString("200 {\"id\":\"%s\",\"name\":\"Peer\",\"url\":\"%s\"}".formatted(peer, door));
        assertThat(registry.get("/registry/" + me + "/peers", token).body())
                .contains(door)
                .doesNotContain("agent.example");
        assertThat(registry.get("/workspaces/" + peer, token).text("url")).isEqualTo(door);
        assertThat(registry.get("/registry/discover/" + peer, ADMIN).text("url"))
                .isEqualTo("http://agent.example:9");
        assertThat(registry.see(peer).path("url").asText()).isEqualTo("http://agent.example:9");
    }

    @Test
    void nor_does_the_card_of_another_tell_an_agent_where_it_listens() {
        String me = registry.create("Caller", "\"external\":true");
        String peer = registry.create("Peer", "\"external\":true");
        String card = "{\"name\":\"Peer\",\"url\":\"http://agent.example:9\",\"supportedInterfaces\":"
                + "[{\"url\":\"http://agent.example:9/v1\",\"protocolVersion\":\"1.0\"}]}";
        assertThat(registry.register(peer, "remote://no-inbound", card, registry.mint(peer))
                        .status())
                .isEqualTo(200);
        String token = registry.mint(me);
        String door = "%s/workspaces/%s/a2a".formatted(PLATFORM, peer);

        assertThat(registry.get("/registry/" + me + "/peers", token).body())
                .contains("{\"url\":\"%s\",\"protocolVersion\":\"1.0\"}".formatted(door))
                .doesNotContain("agent.example");
        assertThat(registry.get("/workspaces/" + peer, token).body())
                .contains(door)
                .doesNotContain("agent.example");
        assertThat(registry.see(peer).at("/agent_card/url").asText()).isEqualTo("http://agent.example:9");
    }

    @Test
    void where_that_door_is_open_an_agent_is_told_the_real_one() {
        String me = open.create("Caller", "\"external\":true");
        String peer = open.create("Peer", "\"external\":true", "\"url\":\"http://192.0.2.1\"");

        assertThat(open.get("/registry/" + me + "/peers", open.mint(me)).body()).contains("http://192.0.2.1");
        assertThat(open.get("/workspaces/" + peer, null).text("url")).isEqualTo("http://192.0.2.1");
    }

    @Test
    void what_anybody_could_read_asks_for_a_credential() {
        String id = registry.create("Read");
        String token = registry.mint(id);

        for (String bearer : new String[] {token, ADMIN}) {
            assertThat(registry.get("/workspaces/" + id, bearer).status()).isEqualTo(200);
            assertThat(registry.get("/canvas/viewport", bearer).status()).isEqualTo(200);
        }
        assertThat(registry.get("/workspaces/" + id, null).status()).isEqualTo(401);
        assertThat(registry.get("/canvas/viewport", "garbage").status()).isEqualTo(401);
        assertThat(registry.post(
                                "/registry/check-access",
                                "{\"caller_id\":\"%s\",\"target_id\":\"%s\"}".formatted(id, id),
                                null)
                        .status())
                .isEqualTo(401);
    }

    @Test
    void open_doors_are_told_where_people_look() {
        assertThat(doors(open))
                .containsExactly("MOLECULE_OPEN_SELF_MOVE", "MOLECULE_OPEN_READING", "MOLECULE_OPEN_PEERS");
        assertThat(doors(registry)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"a\u001bc", "a\u009b31m", "a\u007f", "a\u202eb", "a\u2066b", "a\u200fb", "a\u061cb", "a\u2028b"})
    void a_name_or_role_that_steers_a_terminal_is_refused_wherever_it_comes_from(String name) {
        String escaped = name.codePoints().mapToObj("\\u%04x"::formatted).reduce("", String::concat);
        String id = registry.create("Plain");

        assertThat(registry.post("/workspaces", "{\"name\":\"%s\"}".formatted(escaped), ADMIN))
                .hasToString("400 {\"error\":\"invalid workspace fields\"}");
        assertThat(patch(id, "{\"name\":\"%s\"}".formatted(escaped), ADMIN))
                .hasToString("400 {\"error\":\"name must not contain control characters\"}");
        assertThat(patch(id, "{\"role\":\"%s\"}".formatted(escaped), ADMIN))
                .hasToString("400 {\"error\":\"role must not contain control characters\"}");
    }

    @Test
    void below_one_parent_and_in_all_there_may_be_so_many_and_no_more() {
        try (var small = RunningRegistry.start("MOLECULE_CHILDREN_MAX", "2", "MOLECULE_WORKSPACES_MAX", "5")) {
            String parent = small.create("Parent");
            String first = small.child("First", parent);
            small.child("Second", parent);
            String tooManyChildren = "507 {\"error\":\"a workspace may have at most 2 children\"}";
            String body = "{\"name\":\"Third\",\"parent_id\":\"%s\"}".formatted(parent);
            assertThat(small.post("/workspaces", body, ADMIN)).hasToString(tooManyChildren);
            String root = small.create("Root");
            assertThat(small.patch("/workspaces/" + root, "{\"parent_id\":\"%s\"}".formatted(parent), ADMIN))
                    .hasToString(tooManyChildren);
            small.delete("/workspaces/" + first, ADMIN);
            assertThat(small.post("/workspaces", body, ADMIN).status()).isEqualTo(201);
            small.create("Fifth");

            String full = "507 {\"error\":\"an organisation may have at most 5 workspaces\"}";
            assertThat(small.post("/workspaces", "{\"name\":\"Sixth\"}", ADMIN)).hasToString(full);
            assertThat(small.register(UUID.randomUUID().toString(), "remote://x", "{}", null))
                    .hasToString(full);
        }
    }

    @Test
    void cards_of_imported_workspaces_are_bounded_too() {
        var card = Json.object().put("name", "x".repeat(64 * 1024));
        var item = new CreateWorkspaces.Item(
                UUID.randomUUID(),
                null,
                "Imported",
                null,
                CreateWorkspaces.Agent.managed(null, null, 1),
                0,
                0,
                List.of(),
                Map.of(),
                null,
                card,
                true);

        assertThat(registry.bus
                        .call(CreateWorkspaces.CONTRACT, new CreateWorkspaces(List.of(item)))
                        .otherwise(failure -> new CreateWorkspaces.Created(List.of()))
                        .await()
                        .workspaces())
                .isEmpty();
        assertThat(registry.get("/workspaces/" + item.id(), ADMIN).status()).isEqualTo(404);
    }

    @Test
    void many_fat_cards_leave_lists_readable() {
        try (var crowd = RunningRegistry.start()) {
            String fat = "{\"name\":\"%s\"}".formatted("x".repeat(60_000));
            String me = crowd.create("Me");
            for (int i = 0; i < 90; i++) {
                crowd.register(UUID.randomUUID().toString(), "remote://x", fat, null);
            }

            var peers = crowd.get("/registry/" + me + "/peers", null);
            var listed = crowd.get("/workspaces", ADMIN);

            for (Answer answer : List.of(peers, listed)) {
                assertThat(answer.body().length()).isLessThan(4_500_000);
                assertThat(answer.json().size()).isGreaterThanOrEqualTo(90);
                assertThat(answer.json()
                                .get(answer.json().size() - 1)
                                .path("agent_card")
                                .isNull())
                        .isTrue();
                assertThat(answer.json().get(1).path("agent_card").isObject()).isTrue();
            }
        }
    }

    private static Answer patch(String id, String body, String bearer) {
        return registry.patch("/workspaces/" + id, body, bearer);
    }

    private static List<String> doors(RunningRegistry of) {
        return of.bus
                .call(ReconcilerStatus.of("registry"), new ReconcilerStatus())
                .await()
                .openDoors();
    }
}
