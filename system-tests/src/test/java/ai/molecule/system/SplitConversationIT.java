package ai.molecule.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The four services as processes of their own, clustered on loopback. */
class SplitConversationIT extends ConversationContract {

    @Override
    String[] options() {
        return new String[] {"--no-demo", "--split"};
    }

    @Test
    void killing_only_the_provisioner_restarts_no_agent() {
        Set<Long> agents = agentPids();
        var provisioner = provisioner().orElseThrow();

        provisioner.destroyForcibly();

        await().until(() ->
                provisioner().filter(one -> one.pid() != provisioner.pid()).isPresent());
        String id = platform().create("Latecomer", "echo", null);
        platform().awaitStatus(id, "online");
        platform().delete("/workspaces/" + id);
        await().until(() -> agentPids().size() == agents.size());
        assertThat(agentPids()).isEqualTo(agents);
    }

    private Optional<ProcessHandle> provisioner() {
        return platform().processWith("ProvisionerMain");
    }

    private Set<Long> agentPids() {
        return platform().agentProcesses().map(ProcessHandle::pid).collect(Collectors.toSet());
    }
}
