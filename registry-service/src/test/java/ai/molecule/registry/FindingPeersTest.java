package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.bus.registry.RecordEndpoint;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Discover, peers and check-access. */
class FindingPeersTest {

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

    @Test
    void peers_are_siblings_then_children_then_the_parent_and_nobody_else() {
        String root = registry.create("Root");
        String me = registry.child("Me", root);
        String sibling = registry.create("Sibling", "\"parent_id\":\"%s\"".formatted(root), "\"role\":\"Tester\"");
        String child = registry.child("Child", me);
        registry.child("Grandchild", child);
        String gone = registry.child("Gone", root);
        registry.delete("/workspaces/" + gone, ADMIN);

        var peers = registry.get("/registry/" + me + "/peers", null);

        assertThat(peers.json().findValuesAsText("id")).containsExactly(sibling, child, root);
        assertThat(peers.json().get(0).toString())
                .isEqualTo(
                        ("{\"id\":\"%s\",\"name\":\"Sibling\",\"role\":\"Tester\",\"tier\":3,\"status\":\"provisioning\","
                                        + "\"agent_card\":null,\"url\":\"\",\"parent_id\":\"%s\",\"active_tasks\":0}")
                                .formatted(sibling, root));
        assertThat(registry.get("/registry/" + me + "/peers?q=TEST", null)
                        .json()
                        .findValuesAsText("id"))
                .containsExactly(sibling);
        assertThat(registry.get("/registry/" + me + "/peers?q=nobody", null).body())
                .isEqualTo("[]");
    }

    /** Lists are put together from what is remembered, so every way to change one must be heard of before it is answered. */
    @Test
    void a_list_read_after_a_change_was_answered_shows_it() {
        String root = registry.create("Root");
        String me = registry.child("Me", root);
        String sibling = registry.child("Sibling", root);
        for (int round = 1; round <= 20; round++) {
            registry.beat(sibling, ",\"active_tasks\":" + round, null);
            assertThat(peer(me, 0, "active_tasks")).isEqualTo(String.valueOf(round));
            registry.patch("/workspaces/" + sibling, "{\"name\":\"Name %d\"}".formatted(round), ADMIN);
            assertThat(peer(me, 0, "name")).isEqualTo("Name " + round);
        }
        registry.register(sibling, "http://localhost:8002", "{\"name\":\"carded\"}", null);
        assertThat(peer(me, 0, "url")).isEqualTo("http://localhost:8002");
        assertThat(peer(me, 0, "agent_card")).isEqualTo("{\"name\":\"carded\"}");
        String late = registry.child("Late", root);
        assertThat(peer(me, 1, "id")).isEqualTo(late);
        registry.patch("/workspaces/" + late, "{\"parent_id\":\"%s\"}".formatted(me), ADMIN);
        assertThat(peer(me, 1, "parent_id")).isEqualTo(me);
        registry.delete("/workspaces/" + sibling, ADMIN);
        assertThat(peer(me, 0, "id")).isEqualTo(late);
    }

    @Test
    void peers_of_an_unknown_workspace_are_not_found_and_a_token_is_asked_for_once_there_is_one() {
        String me = registry.create("Me");
        registry.token(me);

        assertThat(registry.get("/registry/" + UUID.randomUUID() + "/peers", null))
                .hasToString("404 {\"error\":\"workspace not found\"}");
        assertThat(registry.get("/registry/" + me + "/peers", null))
                .hasToString("401 {\"error\":\"missing workspace auth token\"}");
    }

    @Test
    void a_live_sibling_is_discovered_where_it_registered() {
        String me = registry.create("Me");
        String other = registry.create("Other");
        registry.register(other, "http://localhost:8001", "{}", null);

        assertThat(discover(me, other))
                .startsWith("200 {\"id\":\"%s\",\"name\":\"Other\",\"url\":\"http://localhost:8001\",\"token\":\""
                        .formatted(other));
    }

    @Test
    void an_agent_of_ours_is_discovered_at_its_internal_address() {
        String me = registry.create("Me");
        String ours = registry.create("Ours");
        registry.beat(ours, "", null);
        registry.bus
                .call(
                        RecordEndpoint.CONTRACT,
                        new RecordEndpoint(UUID.fromString(ours), 1, "http://127.0.0.1:1", "http://inside:8000"))
                .await();

        assertThat(discover(me, ours)).contains("\"url\":\"http://inside:8000\"");
        assertThat(registry.get("/registry/discover/" + ours, ADMIN))
                .hasToString(
                        "200 {\"id\":\"%s\",\"url\":\"http://127.0.0.1:1\",\"status\":\"online\"}".formatted(ours));
    }

    @Test
    void one_that_is_not_there_strangers_and_callers_without_a_name_are_told_so() {
        String me = registry.create("Me");
        String cold = registry.create("Cold");
        String stranger = registry.child("Stranger", cold);
        String silent = registry.create("Silent", "\"external\":true", "\"url\":\"remote://no-inbound\"");
        String inside = registry.create("Inside", "\"external\":true", "\"url\":\"http://10.0.0.1\"");

        assertThat(discover(me, cold))
                .isEqualTo("503 {\"error\":\"workspace not available\",\"status\":\"provisioning\"}");
        assertThat(discover(me, stranger)).isEqualTo("403 {\"error\":\"not authorized to discover this workspace\"}");
        assertThat(discover(me, UUID.randomUUID().toString())).startsWith("403 ");
        assertThat(discover("nonsense", me)).startsWith("403 ");
        assertThat(discover(me, silent)).startsWith("404 ");
        assertThat(discover(me, inside)).isEqualTo("503 {\"error\":\"workspace URL failed safety check\"}");
        assertThat(registry.get("/registry/discover/" + me, null))
                .hasToString("400 {\"error\":\"X-Workspace-ID header is required\"}");
        assertThat(registry.get("/registry/discover/" + me, registry.token(cold)))
                .hasToString("400 {\"error\":\"X-Workspace-ID header is required\"}");
    }

    @Test
    void access_follows_the_org_chart() {
        String root = registry.create("Root");
        String otherRoot = registry.create("Other root");
        String child = registry.child("Child", root);
        String grandchild = registry.child("Grandchild", child);
        String unknown = UUID.randomUUID().toString();

        assertThat(allowed(root, otherRoot)).isTrue();
        assertThat(allowed(root, child)).isTrue();
        assertThat(allowed(child, root)).isTrue();
        assertThat(allowed(root, grandchild)).isFalse();
        assertThat(allowed(child, otherRoot)).isFalse();
        assertThat(allowed(root, unknown)).isFalse();
        assertThat(allowed(unknown, unknown)).isTrue();
        assertThat(allowed("x", root)).isFalse();
        assertThat(registry.post("/registry/check-access", "{\"caller_id\":\"\"}", null))
                .hasToString("400 {\"error\":\"invalid request body\"}");
    }

    private static boolean allowed(String caller, String target) {
        return registry.post(
                        "/registry/check-access",
                        "{\"caller_id\":\"%s\",\"target_id\":\"%s\"}".formatted(caller, target),
                        null)
                .json()
                .path("allowed")
                .asBoolean();
    }

    private static String discover(String caller, String target) {
        return registry.get("/registry/discover/" + target, null, "X-Workspace-ID", caller)
                .toString();
    }

    private static String peer(String of, int index, String member) {
        var value = registry.get("/registry/" + of + "/peers", null)
                .json()
                .path(index)
                .path(member);
        return value.isTextual() ? value.textValue() : value.toString();
    }
}
