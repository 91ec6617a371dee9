package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** {@code PATCH /workspaces/:id}. */
class PatchingWorkspacesTest {

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
    void what_changed_is_stored_and_told() {
        String id = registry.create("Old");

        var answer = patch(id, "{\"name\":\"New\",\"x\":10,\"y\":20.5,\"collapsed\":true,\"unknown\":1}");

        assertThat(answer).isEqualTo("200 {\"status\":\"updated\"}");
        assertThat(registry.get("/workspaces/" + id, null).body())
                .contains("\"name\":\"New\"", "\"x\":10,\"y\":20.5,\"collapsed\":true");
        assertThat(registry.events(id).getLast())
                .startsWith("WORKSPACE_UPDATED ")
                .contains("\"changed\":{\"x\":10,\"y\":20.5,\"name\":\"New\",\"collapsed\":true}");
    }

    @Test
    void nothing_is_told_when_nothing_changed_and_one_coordinate_means_nothing() {
        String id = registry.create("Same");

        patch(id, "{\"name\":\"Same\",\"x\":5}");

        assertThat(registry.eventTypes(id)).containsExactly("WORKSPACE_PROVISIONING");
    }

    @Test
    void a_move_is_told_with_both_parents_and_a_circle_is_refused() {
        String root = registry.create("Root");
        String child = registry.child("Child", root);
        String grandchild = registry.child("Grandchild", child);

        assertThat(patch(root, "{\"parent_id\":\"%s\"}".formatted(grandchild)))
                .isEqualTo("409 {\"error\":\"a workspace cannot be moved below itself\"}");
        assertThat(patch(root, "{\"parent_id\":\"%s\"}".formatted(root))).startsWith("409 ");
        assertThat(patch(grandchild, "{\"parent_id\":\"%s\"}".formatted(UUID.randomUUID())))
                .isEqualTo("400 {\"error\":\"parent workspace not found\"}");
        assertThat(patch(grandchild, "{\"parent_id\":null}")).startsWith("200 ");

        assertThat(registry.see(grandchild).path("parent_id").isNull()).isTrue();
        assertThat(registry.eventTypes(grandchild))
                .containsExactly("WORKSPACE_PROVISIONING", "WORKSPACE_UPDATED", "WORKSPACE_MOVED");
        assertThat(registry.events(grandchild).getLast())
                .contains("\"old_parent_id\":\"%s\"".formatted(child), "\"new_parent_id\":null");
    }

    @Test
    void a_broken_rule_is_named_and_nothing_of_the_patch_is_applied() {
        String id = registry.create("Kept");

        assertThat(patch(id, "{\"role\":\"changed\",\"name\":\"%s\"}".formatted("n".repeat(256))))
                .isEqualTo("400 {\"error\":\"name must be at most 255 characters\"}");
        assertThat(patch(id, "{\"role\":\"a*b\"}")).isEqualTo("400 {\"error\":\"role contains invalid characters\"}");
        assertThat(patch(id, "{\"runtime\":\"a\\nb\"}"))
                .isEqualTo("400 {\"error\":\"runtime must not contain newline characters\"}");
        assertThat(patch(id, "{\"role\":\"changed\",\"runtime\":\"langraph\"}"))
                .isEqualTo("400 {\"error\":\"unknown runtime \\\"langraph\\\"; did you mean \\\"langgraph\\\"?\"}");
        assertThat(patch(id, "{\"workspace_dir\":\"relative\"}"))
                .isEqualTo("400 {\"error\":\"invalid workspace directory\"}");
        assertThat(patch(id, "{\"tier\":\"one\"}")).isEqualTo("400 {\"error\":\"invalid request body\"}");
        assertThat(patch(id, "{\"parent_id\":\"no\"}")).isEqualTo("400 {\"error\":\"invalid request body\"}");
        assertThat(registry.see(id).path("role").isNull()).isTrue();
    }

    @Test
    void a_folder_asks_for_a_restart_and_an_empty_one_clears() {
        String id = registry.create("Dir");

        assertThat(patch(id, "{\"workspace_dir\":\"/srv/agents\"}"))
                .isEqualTo("200 {\"status\":\"updated\",\"needs_restart\":true}");
        assertThat(registry.see(id).path("workspace_dir").asText()).isEqualTo("/srv/agents");
        patch(id, "{\"workspace_dir\":null}");
        assertThat(registry.see(id).path("workspace_dir").isNull()).isTrue();
    }

    @Test
    void an_agent_takes_no_folder_and_no_privileged_tier_by_itself() {
        String id = registry.create("Eager");
        String own = registry.token(id);

        for (String body :
                new String[] {"{\"workspace_dir\":\"/home\"}", "{\"tier\":4}", "{\"name\":\"x\",\"Tier\":4}"}) {
            assertThat(registry.patch("/workspaces/" + id, body, own))
                    .hasToString("403 {\"error\":\"only an administrator may set workspace_dir or a tier above 2\"}");
        }

        assertThat(registry.see(id).path("name").asText()).isEqualTo("Eager");
        assertThat(registry.eventTypes(id)).containsExactly("WORKSPACE_PROVISIONING");
        assertThat(registry.patch("/workspaces/" + id, "{\"tier\":2,\"workspace_dir\":null}", own)
                        .status())
                .isEqualTo(200);
    }

    @Test
    void the_systems_own_folders_are_nobodys_to_lend_however_they_are_written() {
        String id = registry.create("Lent");

        for (String folder : new String[] {"/", "//", "/./", "//etc", "/./etc/ssh", "/var", "/run/user", "/usr/"}) {
            assertThat(patch(id, "{\"workspace_dir\":\"%s\"}".formatted(folder)))
                    .isEqualTo("400 {\"error\":\"invalid workspace directory\"}");
        }
        assertThat(patch(id, "{\"workspace_dir\":\"/srv//etc\"}")).startsWith("200 ");
    }

    @Test
    void only_ones_own_token_or_an_administrator_may() {
        String id = registry.create("Mine");
        String other = registry.token(registry.create("Other"));

        assertThat(registry.patch("/workspaces/" + id, "{}", null))
                .hasToString("401 {\"error\":\"missing workspace auth token\"}");
        assertThat(registry.patch("/workspaces/" + id, "{}", other))
                .hasToString("401 {\"error\":\"invalid workspace auth token\"}");
        assertThat(registry.patch("/workspaces/" + id, "{}", registry.token(id)).status())
                .isEqualTo(200);
        assertThat(patch(UUID.randomUUID().toString(), "{\"name\":\"x\"}"))
                .isEqualTo("404 {\"error\":\"workspace not found\"}");
    }

    private static String patch(String id, String body) {
        return registry.patch("/workspaces/" + id, body, ADMIN).toString();
    }
}
