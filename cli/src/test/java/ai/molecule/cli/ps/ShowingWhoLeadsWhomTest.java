package ai.molecule.cli.ps;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.cli.http.Agent;
import java.util.List;
import org.junit.jupiter.api.Test;

class ShowingWhoLeadsWhomTest {

    @Test
    void agents_stand_below_those_that_lead_them_in_the_order_they_came() {
        assertThat(names(agent("1", ""), agent("2", "1"), agent("3", ""), agent("4", "2"), agent("5", "1")))
                .containsExactly("1", "├─ 2", "│  └─ 4", "└─ 5", "3");
    }

    @Test
    void nobody_is_left_out_whose_leader_is_gone_or_who_leads_himself() {
        assertThat(names(agent("1", "gone"), agent("2", "3"), agent("3", "2"), agent("4", "4")))
                .containsExactly("1", "2", "└─ 3", "4");
    }

    private static List<String> names(Agent... agents) {
        return OrgTree.of(List.of(agents)).stream().map(OrgTree.Line::name).toList();
    }

    private static Agent agent(String name, String parent) {
        return new Agent(name, name, "online", "echo", "", parent, false);
    }
}
