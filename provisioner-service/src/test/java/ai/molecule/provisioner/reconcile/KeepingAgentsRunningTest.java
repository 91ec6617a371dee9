package ai.molecule.provisioner.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.auth.Tokens;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.hints.Reconcile;
import ai.molecule.common.bus.provisioner.IsRunning;
import ai.molecule.common.bus.provisioner.RestartSilent;
import ai.molecule.common.bus.registry.SetDesired;
import ai.molecule.common.bus.registry.Transition;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.provisioner.backend.Launch;
import ai.molecule.provisioner.instances.Instance;
import ai.molecule.provisioner.instances.Instance.State;
import ai.molecule.provisioner.process.AgentCommand;
import ai.molecule.provisioner.testing.Processes;
import ai.molecule.provisioner.testing.Provisioning;
import ai.molecule.provisioner.testing.ScriptedAgents;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Agents that should run do, once, whatever dies in between. */
@ExtendWith(VertxExtension.class)
class KeepingAgentsRunningTest {

    private static final Map<String, Object> KILLED = Map.of("exit", "killed by SIGKILL", "log_tail", "started");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path data;

    @SuppressWarnings("NullAway.Init")
    private Provisioning provisioning;

    @AfterEach
    void close() {
        provisioning.close();
    }

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
    void a_runtime_we_cannot_run_fails_with_one_sentence(Vertx vertx) {
        with(vertx, ScriptedAgents.STEADY).start();
        var id = provisioning.registry.create("langgraph");

        provisioning.reconcile(id);
        provisioning.reconcile(id);

        String error =
                "runtime \"langgraph\" cannot run here yet: it needs the adapter langchain4j, and the agents' runtime"
                        + " has delegate, echo";
        assertThat(provisioning.registry.transitions())
                .containsExactly(new Transition(id, 1, WorkspaceStatus.FAILED, Map.of("error", error), error));
        assertThat(Provisioning.processesOf(id)).isZero();
    }

    @Test
    void a_restart_replaces_the_process_and_keeps_the_port(Vertx vertx) {
        with(vertx, ScriptedAgents.STEADY).start();
        var id = started();
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
        var id = started();
        long first = provisioning.pid(id);

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
    void last_words_are_told_without_the_agents_secrets_and_bearers(Vertx vertx) {
        String bearer = Tokens.mint();
        with(
                        vertx,
                        ScriptedAgents.script(
                                "echo 'key sk-hush-1 and x and BEGIN-LINE-OF-KEY'; echo bearer " + bearer + "; exit 3"))
                .start();
        provisioning.registry.secrets(Map.of("KEY", "sk-hush-1", "SHORT", "x", "PEM", "BEGIN-LINE-OF-KEY\nab\n"));
        var id = provisioning.registry.create("echo");

        await().until(() -> provisioning.registry.get(id).status() == WorkspaceStatus.FAILED);

        assertThat(provisioning.registry.transitions())
                .allSatisfy(told ->
                        assertThat(told.payload()).containsEntry("log_tail", "key *** and x and ***\nbearer ***"));
        assertThat(provisioning.registry.transitions().getLast().error())
                .endsWith("its last lines:\nkey *** and x and ***\nbearer ***");
    }

    @Test
    void an_agent_that_keeps_dying_fails_with_its_last_words_and_stays_so(Vertx vertx) {
        with(vertx, ScriptedAgents.BROKEN).start();
        var id = provisioning.registry.create("echo");

        await().until(() -> provisioning.registry.get(id).status() == WorkspaceStatus.FAILED);

        String error =
                "agent died 3 times within 10 minutes, last with exit code 3; its last lines:\n[FAIL] no model key";
        assertThat(provisioning.registry.transitions())
                .contains(new Transition(
                        id,
                        3,
                        WorkspaceStatus.FAILED,
                        Map.of("error", error, "exit", "exit code 3", "log_tail", "[FAIL] no model key"),
                        error));
        await().until(() -> provisioning.instance(id).orElseThrow().state() == State.FAILED);
        provisioning.reconcile(id);
        assertThat(provisioning.registry.get(id).incarnation()).isEqualTo(3);
    }

    @Test
    void a_silent_agent_is_ended_and_restarted_as_one_that_died(Vertx vertx) {
        with(vertx, ScriptedAgents.STEADY).start();
        var id = started();
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
        var id = started();
        long first = provisioning.pid(id);
        provisioning.registry.online(id);

        new Bus(vertx).call(RestartSilent.CONTRACT, new RestartSilent(id, 1)).await();
        provisioning.reconcile(id);

        assertThat(provisioning.pid(id)).isEqualTo(first);
        assertThat(Processes.alive(first)).isTrue();
    }

    @Test
    void a_restart_of_the_provisioner_restarts_no_agent(Vertx vertx) {
        with(vertx, ScriptedAgents.STEADY).start();
        var id = started();
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
    void an_agent_that_refuses_its_settings_is_failed_at_once_with_its_own_sentence(Vertx vertx) {
        with(vertx, ScriptedAgents.script("echo '[FAIL] Model: no key'; exit 1"))
                .start();
        var id = provisioning.registry.create("echo");

        await().until(() -> provisioning.registry.get(id).status() == WorkspaceStatus.FAILED);

        assertThat(provisioning.registry.get(id).incarnation()).isEqualTo(1);
        assertThat(provisioning.registry.transitions().getLast().payload())
                .containsEntry("error", "workspace start failed: preflight failed: Model: no key");
    }

    @Test
    void an_end_that_no_provisioner_saw_counts_for_no_crash_loop(Vertx vertx) {
        with(vertx, ScriptedAgents.STEADY).start();
        var id = started();
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
        var id = started();
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
        var id = started();
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

    @Test
    void an_agent_that_does_not_come_online_in_time_fails(Vertx vertx) {
        with(vertx, ScriptedAgents.STEADY).provisioningTimeout = Duration.ofSeconds(1);
        provisioning.start();
        var id = provisioning.registry.create("echo");

        await().until(() -> provisioning.registry.get(id).status() == WorkspaceStatus.FAILED);

        assertThat(provisioning.registry.transitions().getFirst().payload())
                .containsEntry("error", "workspace did not come online within 1 s of its start")
                .containsEntry("timeout_secs", 1L)
                .containsEntry("runtime", "echo")
                .containsEntry("source", "provision_timeout_sweep");
        await().until(() -> provisioning.instance(id).map(Instance::state).orElseThrow() == State.FAILED);
        assertThat(Provisioning.processesOf(id)).isZero();
    }

    @Test
    void the_engine_answers_over_the_bus_whether_an_agent_runs(Vertx vertx) {
        var hour = Duration.ofHours(1);
        with(vertx, ScriptedAgents.STEADY).restarts = new RestartSchedule(hour, hour, 5, hour);
        provisioning.start();
        var id = started();
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

    private Provisioning with(Vertx vertx, AgentCommand command) {
        provisioning = new Provisioning(vertx, data, command);
        return provisioning;
    }

    private UUID started() {
        var id = provisioning.registry.create("echo");
        provisioning.reconcile(id);
        assertThat(provisioning.pid(id)).isNotZero();
        provisioning.registry.online(id);
        return id;
    }
}
