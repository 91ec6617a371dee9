package ai.molecule.registry.heartbeats;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.http.JsonBody;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.registry.heartbeats.PgHeartbeatStore.Standing;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Several heartbeats of one workspace in one commit. */
class HealthJudgementTest {

    @Test
    void they_are_judged_in_the_order_they_arrived() {
        var change = HealthJudgement.judge(
                        new Standing(WorkspaceStatus.OFFLINE, 1, null), rates("0", "0.8", "0.2", "0"))
                .orElseThrow();

        assertThat(change.to()).isEqualTo(WorkspaceStatus.ONLINE);
        assertThat(change.steps())
                .extracting(step -> step.event().type())
                .containsExactly("WORKSPACE_ONLINE", "WORKSPACE_DEGRADED", "WORKSPACE_ONLINE");
    }

    @Test
    void one_heartbeat_makes_at_most_one_step() {
        var change = HealthJudgement.judge(new Standing(WorkspaceStatus.PROVISIONING, 1, null), rates("0.9"))
                .orElseThrow();

        assertThat(change.to()).isEqualTo(WorkspaceStatus.ONLINE);
    }

    @Test
    void one_half_degrades_one_tenth_does_not_recover() {
        assertThat(HealthJudgement.judge(new Standing(WorkspaceStatus.ONLINE, 1, null), rates("0.5")))
                .isPresent();
        assertThat(HealthJudgement.judge(new Standing(WorkspaceStatus.ONLINE, 1, null), rates("0.4999")))
                .isEmpty();
        assertThat(HealthJudgement.judge(new Standing(WorkspaceStatus.DEGRADED, 1, null), rates("0.1")))
                .isEmpty();
        assertThat(HealthJudgement.judge(new Standing(WorkspaceStatus.DEGRADED, 1, null), rates("0.0999")))
                .isPresent();
    }

    @Test
    void a_process_that_is_being_replaced_lifts_nothing() {
        var old = rates("0").getFirst().from(1);

        assertThat(HealthJudgement.judge(new Standing(WorkspaceStatus.PROVISIONING, 2, null), List.of(old)))
                .isEmpty();
    }

    private static List<Heartbeat> rates(String... rates) {
        return Stream.of(rates)
                .map("{\"workspace_id\":\"00000000-0000-0000-0000-000000000001\",\"error_rate\":%s}"::formatted)
                .map(text -> Heartbeat.of(JsonBody.parse(text.getBytes(StandardCharsets.UTF_8), "bad")))
                .toList();
    }
}
