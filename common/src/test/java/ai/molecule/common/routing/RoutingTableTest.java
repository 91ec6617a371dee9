package ai.molecule.common.routing;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every path of the product has one owner, and a path nobody owns has none. */
class RoutingTableTest {

    @ParameterizedTest
    @CsvSource({
        "/workspaces, REGISTRY",
        "/workspaces/, REGISTRY",
        "/workspaces/1, REGISTRY",
        "/workspaces/1/tokens/2, REGISTRY",
        "/workspaces/1/memories/2, REGISTRY",
        "/registry/1/peers, REGISTRY",
        "/registry/heartbeat, REGISTRY",
        "/admin/workspaces/1/test-token, REGISTRY",
        "/org/tokens, REGISTRY",
        "/canvas/viewport, REGISTRY",
        "/workspaces/1/a2a, PROXY",
        "/workspaces/1/a2a/tasks/2, PROXY",
        "/workspaces/1/delegations/2/update, PROXY",
        "/admin/liveness, PROXY",
        "/ws, EVENTS",
        "/ws/ticket, EVENTS",
        "/events, EVENTS",
        "/events/1, EVENTS",
        "/workspaces/1/events/stream, EVENTS",
        "/workspaces/1/activity, EVENTS",
        "/org, EVENTS",
        "/workspaces/1/restart, PROVISIONER",
        "/workspaces/1/files/a/b/c.txt, PROVISIONER",
        "/, EVENTS",
        "/ui/main.js, EVENTS",
        "/org/import, PROVISIONER",
        "/templates, PROVISIONER",
        "/plugins/sources, PROVISIONER"
    })
    void a_path_belongs_to(String path, Owner owner) {
        assertThat(RoutingTable.ownerOf(path)).contains(owner);
    }

    @Test
    void a_path_in_no_row_belongs_to_nobody() {
        assertThat(RoutingTable.ownerOf("/index.html")).isEmpty();
        assertThat(RoutingTable.ownerOf("/workspaces/1/unknown")).isEmpty();
        assertThat(RoutingTable.ownerOf("/workspacesX")).isEmpty();
        assertThat(RoutingTable.ownerOf("/registry-x")).isEmpty();
    }

    @Test
    void no_row_is_hidden_by_one_above_it() {
        for (var row : RoutingTable.ROWS) {
            String path = row.pattern().replace("/*", "/x").replace(":id", "1");
            assertThat(RoutingTable.ownerOf(path)).as(row.pattern()).contains(row.owner());
        }
    }
}
