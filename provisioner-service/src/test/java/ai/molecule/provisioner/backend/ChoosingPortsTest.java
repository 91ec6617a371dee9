package ai.molecule.provisioner.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.common.config.Env;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Ports for agents come from the range that is set. */
class ChoosingPortsTest {

    private static final FreePorts PORTS = FreePorts.fromEnv(new Env(Map.of("MOLECULE_AGENT_PORTS", "18000-18499")));

    @Test
    void a_port_outside_the_range_is_given_up_for_one_within() throws IOException {
        assertThat(PORTS.choose(20_000, Set.of())).isBetween(18_000, 18_499);
    }

    @Test
    void where_none_is_left_the_range_is_named() {
        var all = IntStream.rangeClosed(18_000, 18_499).boxed().collect(Collectors.toSet());

        assertThatThrownBy(() -> PORTS.choose(18_000, all)).hasMessage("no free port from 18000 to 18499");
    }
}
