package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.bus.registry.CreateWorkspaces;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Canvases take exactly 0,0 for never placed, so no root stands there, and none over another. */
class PlacingRootsTest {

    @Test
    void roots_that_nobody_placed_stand_side_by_side_with_their_teams() {
        try (var registry = RunningRegistry.start()) {
            registry.create("First");
            registry.create("Placed", "\"canvas\":{\"x\":500,\"y\":7}");
            UUID lead = UUID.randomUUID();
            registry.bus
                    .call(
                            CreateWorkspaces.CONTRACT,
                            new CreateWorkspaces(
                                    List.of(
                                            item(lead, null, "Lead", 0),
                                            item(UUID.randomUUID(), lead, "Below", 16),
                                            item(UUID.randomUUID(), null, "Another", 0)),
                                    null))
                    .await();
            registry.register(UUID.randomUUID().toString(), "remote://no-inbound", "{\"name\":\"Stranger\"}", null);

            var places = StreamSupport.stream(
                            registry.get("/workspaces", ADMIN).json().spliterator(), false)
                    .map(row -> row.path("x").asInt() + "," + row.path("y").asInt())
                    .toList();

            assertThat(places).containsExactly("80,80", "500,7", "820,80", "836,210", "1156,80", "1476,80");
        }
    }

    private static CreateWorkspaces.Item item(UUID id, @Nullable UUID parent, String name, double x) {
        var agent = CreateWorkspaces.Agent.managed("echo", null, 2);
        return new CreateWorkspaces.Item(
                id, parent, name, null, agent, x, x == 0 ? 0 : 130, List.of(), Map.of(), null, null, true);
    }
}
