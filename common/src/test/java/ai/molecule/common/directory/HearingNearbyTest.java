package ai.molecule.common.directory;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.bus.registry.Directory.Entry;
import ai.molecule.common.bus.registry.Directory.Snapshot;
import ai.molecule.common.workspaces.WorkspaceStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Who is asked whether it may hear of a workspace. */
class HearingNearbyTest {

    private final List<Entry> entries = new ArrayList<>();

    @Test
    void whoever_may_hear_of_a_workspace_is_near_it_in_any_organisation() {
        var random = new Random(8);
        List<UUID> tenants = List.of(UUID.randomUUID(), UUID.randomUUID());
        for (int i = 0; i < 150; i++) {
            if (i < 12) {
                root(i % 3 == 0 ? null : tenants.get(i % 2));
            } else {
                below(entries.get(random.nextInt(entries.size())).id(), random.nextInt(10) > 0);
            }
        }
        var chart = OrgChart.of(new Snapshot(entries), 0);

        for (var about : entries) {
            var near = chart.near(about.id());
            assertThat(entries.stream().map(Entry::id).filter(agent -> chart.mayHear(agent, about.id())))
                    .isNotEmpty()
                    .isSubsetOf(near);
        }
        var unknown = UUID.randomUUID();
        assertThat(chart.near(unknown)).containsExactly(unknown);
    }

    @Test
    void of_many_teams_only_the_own_is_near() {
        var head = root(null);
        for (int team = 0; team < 200; team++) {
            var leader = below(head, true);
            for (int member = 0; member < 10; member++) {
                below(leader, true);
            }
        }
        var chart = OrgChart.of(new Snapshot(entries), 0);

        assertThat(chart.near(entries.getLast().id())).hasSize(11);
        assertThat(chart.near(head)).hasSize(201);
    }

    private UUID root(@Nullable UUID tenant) {
        var id = UUID.randomUUID();
        entries.add(new Entry(id, null, "root", null, WorkspaceStatus.ONLINE, true, tenant));
        return id;
    }

    private UUID below(UUID parent, boolean admitted) {
        var id = UUID.randomUUID();
        entries.add(new Entry(id, parent, "member", null, WorkspaceStatus.ONLINE, admitted));
        return id;
    }
}
