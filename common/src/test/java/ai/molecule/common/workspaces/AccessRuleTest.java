package ai.molecule.common.workspaces;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The org chart's verdicts: a small company with two roots. */
class AccessRuleTest {

    private final UUID ceo = UUID.randomUUID();
    private final UUID board = UUID.randomUUID();
    private final UUID lead = UUID.randomUUID();
    private final UUID otherLead = UUID.randomUUID();
    private final UUID worker = UUID.randomUUID();
    private final UUID nephew = UUID.randomUUID();
    private final UUID stranger = UUID.randomUUID();

    private final AccessRule rule = new AccessRule(Map.of(
            ceo, Optional.empty(),
            board, Optional.empty(),
            lead, Optional.of(ceo),
            otherLead, Optional.of(ceo),
            worker, Optional.of(lead),
            nephew, Optional.of(otherLead)));

    @Test
    void oneself_siblings_roots_and_parent_with_child_may_talk() {
        assertThat(rule.allows(worker, worker)).isTrue();
        assertThat(rule.allows(lead, otherLead)).isTrue();
        assertThat(rule.allows(ceo, board)).isTrue();
        assertThat(rule.allows(ceo, lead)).isTrue();
        assertThat(rule.allows(worker, lead)).isTrue();
    }

    @Test
    void grandparents_cousins_uncles_and_strangers_may_not() {
        assertThat(rule.allows(ceo, worker)).isFalse();
        assertThat(rule.allows(worker, ceo)).isFalse();
        assertThat(rule.allows(worker, nephew)).isFalse();
        assertThat(rule.allows(worker, otherLead)).isFalse();
        assertThat(rule.allows(board, lead)).isFalse();
        assertThat(rule.allows(stranger, ceo)).isFalse();
        assertThat(rule.allows(ceo, stranger)).isFalse();
    }

    @Test
    void even_an_unknown_workspace_may_talk_to_itself() {
        assertThat(rule.allows(stranger, stranger)).isTrue();
    }
}
