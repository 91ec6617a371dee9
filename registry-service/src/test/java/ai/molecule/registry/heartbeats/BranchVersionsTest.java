package ai.molecule.registry.heartbeats;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.registry.heartbeats.BranchVersions.Change;
import ai.molecule.registry.heartbeats.PgHeartbeatStore.Standing;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class BranchVersionsTest {

    private static final UUID LEAD = UUID.randomUUID();
    private static final UUID WRITER = UUID.randomUUID();

    private final BranchVersions branches = new BranchVersions();

    @Test
    void what_is_not_remembered_is_asked_for_once() {
        var standings = Map.of(WRITER, new Standing(WorkspaceStatus.ONLINE, 1, LEAD));
        assertThat(branches.unknown(standings)).containsExactlyInAnyOrder(WRITER, LEAD);

        branches.learned(List.of(new Change(WRITER, 0), new Change(LEAD, 7)));

        assertThat(branches.unknown(standings)).isEmpty();
        assertThat(branches.of(WRITER, LEAD)).isEqualTo(7);
        assertThat(branches.unknown(Map.of(LEAD, new Standing(WorkspaceStatus.ONLINE, 1, null))))
                .containsExactly(BranchVersions.ROOTS);
    }

    @Test
    void a_change_that_is_heard_late_lowers_nothing_and_says_nothing_of_what_is_not_remembered() {
        branches.learned(List.of(new Change(WRITER, 9), new Change(BranchVersions.ROOTS, 0)));

        branches.heard(List.of(new Change(WRITER, 8), new Change(LEAD, 7)), 100);

        assertThat(branches.of(WRITER, null)).isEqualTo(9);
        assertThat(branches.unknown(Map.of(WRITER, new Standing(WorkspaceStatus.ONLINE, 1, LEAD))))
                .containsExactly(LEAD);
        assertThat(branches.since()).isEqualTo(100);
    }

    @Test
    void too_many_changes_and_another_past_are_all_asked_for_again() {
        var standings = Map.of(WRITER, new Standing(WorkspaceStatus.ONLINE, 1, null));
        var known = List.of(new Change(WRITER, 9), new Change(BranchVersions.ROOTS, 0));
        branches.learned(known);

        branches.heard(Collections.nCopies(BranchVersions.HEARD_MAX + 1, new Change(LEAD, 10)), 100);
        assertThat(branches.unknown(standings)).hasSize(2);
        branches.learned(known);
        branches.heard(List.of(), 99);

        assertThat(branches.unknown(standings)).hasSize(2);
    }
}
