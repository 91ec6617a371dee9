package ai.molecule.provisioner.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.hints.Reconcile;
import ai.molecule.common.bus.provisioner.IsRunning;
import ai.molecule.common.bus.provisioner.RestartSilent;
import ai.molecule.common.bus.registry.SetDesired;
import ai.molecule.common.bus.registry.Transition;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.provisioner.testing.Processes;
import ai.molecule.provisioner.testing.ScriptedAgents;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Agents that should run do, once. */
class KeepingAgentsRunningTest extends ProvisioningFixture {

    private static final Map<String, Object> KILLED = Map.of("exit", "killed by SIGKILL", "log_tail", "started");

    @Test
    void a_new_workspace_gets_a_process_a_token_and_an_endpoint(Vertx vertx) {
        with(vertx, ScriptedAgents.STEADY).start();
        var id = provisioning.registry.create("echo");

        new Bus(vertx).poke(Reconcile.HINT, new Reconcile(id));

        await().until(() -> !provisioning.registry.endpoints().isEmpty());
        var instance = provisioning.instance(id).orElseThrow();
        var endpoint = provisioning.registry.endpoints().getFirst();
        assertThat(endpoint.url()).isEqualTo("http://127.0.0.1:" + instance.port());
        assertThat(endpoint.incarnation()).isEqualTo(1);
        assertThat(Processes.alive(provisioning.pid(id))).isTrue();
        assertThat(provisioning.registry.tokens()).hasSize(1);
    }

    @Test
    void a_workspace_whose_hint_was_lost_is_found_by_the_sweep(Vertx vertx) {
        with(vertx, ScriptedAgents.STEADY).start();

        var id = provisioning.registry.create("echo");

        await().until(() -> provisioning.pid(id) > 0);
    }

    @Test
    void one_that_registered_by_hand_gets_no_process(Vertx vertx) {
        with(vertx, ScriptedAgents.STEADY);
        var id = provisioning.registry.create("echo");
        provisioning.registry.online(id);
        provisioning.start();

        provisioning.reconcile(id);

        assertThat(provisioning.instance(id)).isEmpty();
    }

    @Test
    void a_restart_replaces_the_process_and_keeps_the_port(Vertx vertx) {
        with(vertx, ScriptedAgents.STEADY).start();
        var id = provisioning.running();
        long first = provisioning.pid(id);
        var port = provisioning.instance(id).orElseThrow().port();
        provisioning.registry.restart(id);

        provisioning.reconcile(id);

        assertThat(Processes.alive(first)).isFalse();
        assertThat(provisioning.pid(id)).isNotZero().isNotEqualTo(first);
        assertThat(provisioning.instance(id).orElseThrow().port()).isEqualTo(port);
        assertThat(provisioning.registry.transitions()).isEmpty();
    }

    @Test
    void a_killed_agent_goes_offline_and_comes_back_as_the_next_incarnation(Vertx vertx) {
        with(vertx, ScriptedAgents.STEADY).start();
        var id = provisioning.running();
        long first = provisioning.pid(id);
        await().until(() -> provisioning.backend().logTail(id).await().equals("started"));

        Processes.kill(first);

        await().until(() -> provisioning.pid(id) != first && provisioning.pid(id) > 0);
        assertThat(provisioning.registry.transitions())
                .containsExactly(new Transition(id, 1, WorkspaceStatus.OFFLINE, KILLED, null));
        assertThat(provisioning.registry.wishes())
                .containsExactly(new SetDesired(id, SetDesired.Action.RESTART, null, 1));
        assertThat(provisioning.instance(id).orElseThrow().incarnation()).isEqualTo(2);
        assertThat(provisioning.instance(id).orElseThrow().deaths()).hasSize(1);
        assertThat(provisioning.instance(id).orElseThrow().lastExit()).isEqualTo("killed by SIGKILL");
    }

    @Test
    void a_silent_agent_is_ended_and_restarted_as_one_that_died(Vertx vertx) {
        with(vertx, ScriptedAgents.STEADY).start();
        var id = provisioning.running();
        long first = provisioning.pid(id);
        var bus = new Bus(vertx);
        provisioning.registry.offline(id);

        assertThat(bus.call(RestartSilent.CONTRACT, new RestartSilent(id, 7))
                        .await()
                        .accepted())
                .isFalse();
        assertThat(bus.call(RestartSilent.CONTRACT, new RestartSilent(id, 1))
                        .await()
                        .accepted())
                .isTrue();

        await().until(() -> provisioning.pid(id) != first && provisioning.pid(id) > 0);
        assertThat(Processes.alive(first)).isFalse();
        assertThat(provisioning.registry.wishes())
                .containsExactly(new SetDesired(id, SetDesired.Action.RESTART, null, 1));
        assertThat(provisioning.instance(id).orElseThrow().deaths()).hasSize(1);
        assertThat(provisioning.instance(id).orElseThrow().lastExit()).isEqualTo("no sign of life");
    }

    @Test
    void an_agent_that_is_heard_again_is_not_ended(Vertx vertx) {
        with(vertx, ScriptedAgents.STEADY).start();
        var id = provisioning.running();
        long first = provisioning.pid(id);
        provisioning.registry.online(id);

        new Bus(vertx).call(RestartSilent.CONTRACT, new RestartSilent(id, 1)).await();
        provisioning.reconcile(id);

        assertThat(provisioning.pid(id)).isEqualTo(first);
        assertThat(Processes.alive(first)).isTrue();
    }

    @Test
    void the_engine_answers_over_the_bus_whether_an_agent_runs(Vertx vertx) {
        var hour = Duration.ofHours(1);
        with(vertx, ScriptedAgents.STEADY).restarts = new RestartSchedule(hour, hour, 5, hour);
        provisioning.start();
        var id = provisioning.running();
        assertThat(verdict(vertx, id)).isEqualTo(IsRunning.Verdict.RUNNING);
        assertThat(verdict(vertx, UUID.randomUUID())).isEqualTo(IsRunning.Verdict.UNKNOWN);

        Processes.kill(provisioning.pid(id));

        await().until(() -> verdict(vertx, id) == IsRunning.Verdict.EXITED);
        await().until(() -> provisioning.registry.get(id).status() == WorkspaceStatus.OFFLINE);
    }

    private static IsRunning.Verdict verdict(Vertx vertx, UUID id) {
        return new Bus(vertx)
                .call(IsRunning.CONTRACT, new IsRunning(id))
                .await()
                .verdict();
    }
}
