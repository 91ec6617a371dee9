package ai.molecule.provisioner.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.registry.Transition;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.provisioner.backend.Launch;
import ai.molecule.provisioner.instances.Instance.State;
import ai.molecule.provisioner.testing.Processes;
import ai.molecule.provisioner.testing.Provisioning;
import ai.molecule.provisioner.testing.ScriptedAgents;
import io.vertx.core.Vertx;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Whatever dies or does not answer for a while, each agent runs once afterwards. */
class SurvivingOutagesTest extends ProvisioningFixture {

    @Test
    void a_restart_of_the_provisioner_restarts_no_agent(Vertx vertx) {
        with(vertx, ScriptedAgents.STEADY).start();
        var id = provisioning.running();
        long pid = provisioning.pid(id);
        provisioning.stop();
        assertThat(Processes.alive(pid)).isTrue();

        provisioning.start();

        await().until(() -> provisioning.registry.endpoints().size() == 2);
        assertThat(provisioning.pid(id)).isEqualTo(pid);
        assertThat(Provisioning.processesOf(id)).isEqualTo(1);
        Processes.kill(pid); // and its end is noticed as before
        await().until(() -> provisioning.registry.get(id).incarnation() == 2);
        assertThat(provisioning.registry.transitions())
                .containsExactly(new Transition(
                        id,
                        1,
                        WorkspaceStatus.OFFLINE,
                        Map.of("exit", "ended while nobody watched it", "log_tail", "started"),
                        null));
    }

    @Test
    void an_end_that_no_provisioner_saw_counts_for_no_crash_loop(Vertx vertx) {
        with(vertx, ScriptedAgents.STEADY).start();
        var id = provisioning.running();
        long first = provisioning.pid(id);
        provisioning.stop();
        Processes.kill(first);

        provisioning.start();

        await().until(() -> provisioning.pid(id) != first && provisioning.pid(id) > 0);
        assertThat(provisioning.instance(id).orElseThrow().deaths()).isEmpty();
        assertThat(provisioning.registry.get(id).incarnation()).isEqualTo(2);
    }

    @Test
    void a_process_started_just_before_a_crash_is_adopted_not_doubled(Vertx vertx) {
        with(vertx, ScriptedAgents.STEADY);
        var id = provisioning.registry.create("echo");
        provisioning.instances.starting(id, 1, 20_001, Instant.now()).await();
        var orphan = provisioning
                .backend()
                .start(new Launch(provisioning.registry.get(id), 20_001, "token", Map.of()))
                .await();

        provisioning.start();

        await().until(() -> !provisioning.registry.endpoints().isEmpty());
        assertThat(provisioning.pid(id)).isEqualTo(Long.parseLong(orphan.id()));
        assertThat(Provisioning.processesOf(id)).isEqualTo(1);
        assertThat(provisioning.registry.endpoints().getFirst().url()).isEqualTo("http://127.0.0.1:20001");
    }

    @Test
    void a_start_that_a_crash_cut_short_is_made(Vertx vertx) {
        with(vertx, ScriptedAgents.STEADY);
        var id = provisioning.registry.create("echo");
        provisioning.instances.starting(id, 1, 20_001, Instant.now()).await();

        provisioning.start();

        await().until(() -> provisioning.pid(id) > 0);
        assertThat(Provisioning.processesOf(id)).isEqualTo(1);
    }

    @Test
    void a_registry_that_does_not_answer_changes_nothing(Vertx vertx) {
        with(vertx, ScriptedAgents.STEADY).start();
        var id = provisioning.running();
        long pid = provisioning.pid(id);
        provisioning.registry.goAway(true);

        assertThatThrownBy(() -> provisioning.reconcile(id)).hasMessage("away");
        assertThat(Processes.alive(pid)).isTrue();
        Processes.kill(pid);
        await().until(() -> !Processes.alive(pid));
        assertThat(provisioning.instance(id).orElseThrow().state()).isEqualTo(State.RUNNING);
        provisioning.registry.goAway(false);

        await().until(() -> provisioning.registry.get(id).incarnation() == 2);
    }

    @Test
    void a_database_that_does_not_answer_changes_nothing(Vertx vertx) {
        with(vertx, ScriptedAgents.STEADY).start();
        var id = provisioning.running();
        long pid = provisioning.pid(id);
        provisioning.databaseAway(true);

        assertThatThrownBy(() -> provisioning.reconcile(id));
        Processes.kill(pid);
        await().until(() -> !Processes.alive(pid));
        assertThatThrownBy(() -> provisioning.reconcile(id));
        assertThat(provisioning.registry.transitions()).isEmpty();
        provisioning.databaseAway(false);

        await().until(() -> provisioning.registry.get(id).incarnation() == 2);
        await().until(() -> Provisioning.processesOf(id) == 1);
    }

    @Test
    void a_workspace_another_provisioner_works_on_is_left_alone_until_it_is_done(Vertx vertx) {
        with(vertx, ScriptedAgents.STEADY);
        var id = provisioning.registry.create("echo");
        var othersLock = provisioning.instances.tryLock(id).await().orElseThrow();
        provisioning.start();

        provisioning.reconcile(id);
        assertThat(provisioning.instance(id)).isEmpty();
        othersLock.release().await();

        await().until(() -> provisioning.pid(id) > 0);
    }
}
