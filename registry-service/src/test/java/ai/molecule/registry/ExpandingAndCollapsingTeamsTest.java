package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.common.bus.registry.CollapseWorkspace;
import ai.molecule.common.bus.registry.CreateWorkspaces;
import ai.molecule.common.bus.registry.CreateWorkspaces.Agent;
import ai.molecule.common.bus.registry.CreateWorkspaces.Item;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The team of a workspace through the contracts that expand and collapse use. */
class ExpandingAndCollapsingTeamsTest {

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
    void a_team_is_told_with_its_members_once() {
        String lead = registry.create("Lead");
        var child = member(lead, "Scout");
        var request = new CreateWorkspaces(List.of(child), UUID.fromString(lead));

        registry.bus.call(CreateWorkspaces.CONTRACT, request).await();
        registry.bus.call(CreateWorkspaces.CONTRACT, request).await();

        assertThat(registry.events(lead))
                .filteredOn(event -> event.startsWith("WORKSPACE_EXPANDED"))
                .containsExactly(
                        "WORKSPACE_EXPANDED {\"children\":[{\"id\":\"%s\",\"name\":\"Scout\",\"role\":\"finds\"}]}"
                                .formatted(child.id()));
    }

    @Test
    void collapsing_removes_everybody_below_and_their_tokens_but_not_the_workspace_itself() {
        String lead = registry.create("Leader");
        String child = registry.child("Below", lead);
        String grandchild = registry.child("Further below", child);
        String bystander = registry.create("Bystander");
        String token = registry.token(grandchild);

        var collapsed = collapse(lead);

        assertThat(collapsed.children()).containsExactly("Below");
        assertThat(collapsed.removed()).containsExactlyInAnyOrder(UUID.fromString(child), UUID.fromString(grandchild));
        assertThat(registry.status(lead)).isEqualTo("provisioning");
        assertThat(registry.status(bystander)).isEqualTo("provisioning");
        assertThat(registry.status(child)).isEqualTo("removed");
        assertThat(registry.get("/workspaces/" + grandchild + "/state", token).status())
                .isEqualTo(404);
        assertThat(registry.get("/workspaces/" + grandchild + "/tokens", token).status())
                .isEqualTo(401);
        assertThat(registry.eventTypes(child)).endsWith("WORKSPACE_REMOVED");
        assertThat(registry.events(lead).getLast())
                .startsWith("WORKSPACE_COLLAPSED")
                .contains("\"removed_children\":[\"Below\"]");
    }

    @Test
    void collapsing_nothing_removes_nobody_and_an_unknown_workspace_is_not_found() {
        String alone = registry.create("Alone");

        assertThat(collapse(alone)).isEqualTo(new CollapseWorkspace.Collapsed(List.of(), List.of()));
        assertThatThrownBy(() -> collapse(UUID.randomUUID().toString())).hasMessage("workspace not found");
        registry.delete("/workspaces/" + alone, ADMIN);
        assertThatThrownBy(() -> collapse(alone)).hasMessage("workspace not found");
    }

    @Test
    void a_branch_does_not_collapse_a_team_in_which_the_organization_quarantined_somebody() {
        String lead = registry.create("Contained lead");
        String child = registry.child("Contained", lead);
        String other = registry.child("Beside it", lead);
        registry.post("/workspaces/" + child + "/quarantine", "", ADMIN);

        assertThatThrownBy(() -> collapse(lead, true)).hasMessageContaining("quarantine");

        assertThat(registry.status(child)).isEqualTo("paused");
        assertThat(registry.status(other)).isEqualTo("provisioning");
        assertThat(collapse(lead).children()).containsExactlyInAnyOrder("Contained", "Beside it");
    }

    private static CollapseWorkspace.Collapsed collapse(String id) {
        return collapse(id, false);
    }

    private static CollapseWorkspace.Collapsed collapse(String id, boolean ofBranch) {
        return registry.bus
                .call(CollapseWorkspace.CONTRACT, new CollapseWorkspace(UUID.fromString(id), ofBranch))
                .await();
    }

    private static Item member(String parent, String name) {
        var agent = Agent.managed("echo", null, 2);
        return new Item(
                UUID.randomUUID(),
                UUID.fromString(parent),
                name,
                "finds",
                agent,
                0,
                0,
                List.of(),
                Map.of(),
                null,
                true);
    }
}
