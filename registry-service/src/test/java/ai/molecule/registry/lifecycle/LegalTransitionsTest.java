package ai.molecule.registry.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.common.workspaces.WorkspaceStatus;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The table of transitions, pair by pair. */
class LegalTransitionsTest {

    private static final Map<Trigger, Set<WorkspaceStatus>> LEGAL_FROM = Map.ofEntries(
            Map.entry(Trigger.REGISTERED, of("provisioning offline awaiting_agent failed degraded")),
            Map.entry(Trigger.HEARTBEAT, of("provisioning offline awaiting_agent")),
            Map.entry(Trigger.ERRORS_HIGH, of("online")),
            Map.entry(Trigger.ERRORS_LOW, of("degraded")),
            Map.entry(Trigger.SILENCE, of("online degraded")),
            Map.entry(Trigger.PROCESS_EXIT, of("provisioning online degraded")),
            Map.entry(Trigger.START_FAILURE, of("provisioning offline")),
            Map.entry(Trigger.RESUME, of("paused")),
            Map.entry(Trigger.IDLENESS, of("online degraded")),
            Map.entry(Trigger.WAKING, of("hibernated")),
            Map.entry(Trigger.RESTART, allBut("removed")),
            Map.entry(Trigger.PAUSE, allBut("removed paused")),
            Map.entry(Trigger.REMOVAL, allBut("removed")));

    @ParameterizedTest
    @MethodSource("everyPair")
    void a_pair_is_legal_exactly_where_the_rules_say_so(WorkspaceStatus from, Trigger trigger) {
        var decided = StatusChange.decide(UUID.randomUUID(), from, trigger, RecordedEvent.of("E"));

        assertThat(decided.isPresent())
                .isEqualTo(LEGAL_FROM.getOrDefault(trigger, Set.of()).contains(from));
    }

    @Test
    void no_trigger_is_listed_twice_so_that_a_pair_leads_to_one_status() {
        assertThat(LegalTransitions.ROWS)
                .extracting(LegalTransitions.Row::trigger)
                .doesNotHaveDuplicates();
    }

    @Test
    void steps_follow_each_other_and_a_gap_between_them_is_refused() {
        var id = UUID.randomUUID();
        var up = StatusChange.decide(id, WorkspaceStatus.OFFLINE, Trigger.HEARTBEAT, RecordedEvent.of("UP"))
                .orElseThrow();
        var worse = StatusChange.decide(id, WorkspaceStatus.ONLINE, Trigger.ERRORS_HIGH, RecordedEvent.of("WORSE"))
                .orElseThrow();

        assertThat(up.then(worse).steps())
                .extracting(step -> step.event().type() + " " + step.to())
                .containsExactly("UP ONLINE", "WORSE DEGRADED");
        assertThatThrownBy(() -> worse.then(worse)).isInstanceOf(IllegalArgumentException.class);
    }

    static Stream<Arguments> everyPair() {
        return Stream.of(WorkspaceStatus.values())
                .flatMap(from -> Stream.of(Trigger.values()).map(trigger -> Arguments.of(from, trigger)));
    }

    private static Set<WorkspaceStatus> of(String names) {
        var set = EnumSet.noneOf(WorkspaceStatus.class);
        Stream.of(names.split(" ")).map(WorkspaceStatus::ofWire).forEach(set::add);
        return set;
    }

    private static Set<WorkspaceStatus> allBut(String names) {
        return EnumSet.complementOf(EnumSet.copyOf(of(names)));
    }
}
