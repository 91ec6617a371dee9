package ai.molecule.provisioner.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.provisioner.instances.Instance.State;
import ai.molecule.provisioner.testing.Processes;
import ai.molecule.provisioner.testing.Provisioning;
import ai.molecule.provisioner.testing.ScriptedAgents;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Agents that should not run do not, and stay that way. */
@ExtendWith(VertxExtension.class)
class StoppingAgentsTest {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path data;

    @SuppressWarnings("NullAway.Init")
    private Provisioning provisioning;

    @BeforeEach
    void start(Vertx vertx) {
        provisioning = new Provisioning(vertx, data, ScriptedAgents.STEADY).start();
    }

    @AfterEach
    void close() {
        provisioning.close();
    }

    @Test
    void a_paused_agent_is_stopped_and_no_sweep_starts_it_again() {
        var id = provisioning.running();
        long pid = provisioning.pid(id);
        provisioning.registry.pause(id);

        provisioning.reconcile(id);
        provisioning.stop();
        provisioning.start();
        provisioning.reconcile(id);
        var later = provisioning.running(); // its start proves that the new provisioner works

        assertThat(Processes.alive(pid)).isFalse();
        assertThat(Provisioning.processesOf(id)).isZero();
        assertThat(Provisioning.processesOf(later)).isEqualTo(1);
        assertThat(provisioning.instance(id).orElseThrow().state()).isEqualTo(State.STOPPED);
        assertThat(provisioning.registry.transitions()).isEmpty();
        assertThat(folder(id)).exists();
    }

    @Test
    void a_resumed_agent_runs_again() {
        var id = provisioning.running();
        provisioning.registry.pause(id);
        provisioning.reconcile(id);
        provisioning.registry.restart(id);

        provisioning.reconcile(id);

        assertThat(Processes.alive(provisioning.pid(id))).isTrue();
    }

    @Test
    void a_removed_workspace_leaves_neither_process_nor_folder_nor_record() {
        var id = provisioning.running();
        provisioning.registry.remove(id);

        provisioning.reconcile(id);

        assertThat(Provisioning.processesOf(id)).isZero();
        assertThat(folder(id)).doesNotExist();
        assertThat(provisioning.instance(id)).isEmpty();
    }

    @Test
    void a_process_whose_workspace_the_registry_no_longer_lists_is_stopped_and_its_files_are_kept() {
        var id = provisioning.running();
        provisioning.registry.forget(id);

        await().until(() -> provisioning.instance(id).orElseThrow().state() == State.STOPPED);

        assertThat(Provisioning.processesOf(id)).isZero();
        assertThat(folder(id)).exists();
    }

    private Path folder(UUID id) {
        return data.resolve("workspaces").resolve(id.toString());
    }
}
