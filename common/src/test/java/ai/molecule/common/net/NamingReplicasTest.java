package ai.molecule.common.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class NamingReplicasTest {

    @Test
    void replicas_of_two_machines_are_told_apart_where_nobody_exported_their_names() {
        assertThat(HostName.ofReplica(Map.of("MOLECULE_CLUSTER_HOST", "10.77.0.1")))
                .isEqualTo("10.77.0.1");
        assertThat(HostName.ofReplica(Map.of("HOSTNAME", "registry-5d9", "MOLECULE_CLUSTER_HOST", "10.77.0.1")))
                .isEqualTo("registry-5d9");
        assertThat(HostName.ofReplica(Map.of("MOLECULE_CLUSTER_HOST", "127.0.0.1")))
                .isEqualTo(HostName.ofThisMachine())
                .isNotEmpty();
    }
}
