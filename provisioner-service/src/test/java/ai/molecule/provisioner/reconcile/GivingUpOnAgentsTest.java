package ai.molecule.provisioner.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.auth.Tokens;
import ai.molecule.common.bus.registry.Transition;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.provisioner.backend.StartDelayed;
import ai.molecule.provisioner.containers.Tier;
import ai.molecule.provisioner.instances.Instance;
import ai.molecule.provisioner.instances.Instance.State;
import ai.molecule.provisioner.process.AgentCommand;
import ai.molecule.provisioner.process.AgentMark;
import ai.molecule.provisioner.testing.Processes;
import ai.molecule.provisioner.testing.Provisioning;
import ai.molecule.provisioner.testing.ScriptedAgents;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** An agent that cannot run ends in {@code failed}, with a sentence that says why. */
class GivingUpOnAgentsTest extends ProvisioningFixture {

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
    void what_is_not_possible_now_is_tried_again_and_may_be_possible_then(Vertx vertx) {
        with(vertx, impossible(2)).start();
        var id = provisioning.registry.create("echo");

        await().until(() -> provisioning.pid(id) != 0);

        assertThat(provisioning.registry.transitions()).isEmpty();
    }

    @Test
    void what_is_not_possible_for_long_fails_with_the_last_reason(Vertx vertx) {
        with(vertx, impossible(1_000)).provisioningTimeout = Duration.ofSeconds(3);
        provisioning.start();
        var id = provisioning.registry.create("echo");

        await().until(() -> provisioning.registry.get(id).status() == WorkspaceStatus.FAILED);

        assertThat(provisioning.registry.transitions().getFirst().payload())
                .containsEntry("error", "workspace start failed: no room")
                .containsEntry("timeout_secs", 3L);
        await().until(() -> provisioning.instance(id).map(Instance::state).orElseThrow() == State.FAILED);
    }

    @Test
    void a_pause_ends_its_agent_however_many_starts_hang(Vertx vertx) {
        var free = new CountDownLatch(1);
        Set<UUID> first = ConcurrentHashMap.newKeySet();
        with(vertx, hanging(first, free)).start();
        try {
            var id = provisioning.registry.create("external");
            first.add(id);
            provisioning.registry.runtime(id, "echo");
            provisioning.running(id);
            for (int i = 0; i < 20; i++) {
                provisioning.registry.create("echo");
            }
            await().until(() -> provisioning.instances.list(100).await().size() > 3);

            provisioning.registry.pause(id);
            provisioning.reconcile(id);

            assertThat(Provisioning.processesOf(id)).isZero();
        } finally {
            free.countDown();
        }
    }

    private static AgentCommand hanging(Set<UUID> notThese, CountDownLatch free) {
        return new AgentCommand() {
            @Override
            public List<String> of(AgentMark mark, Tier tier) {
                if (!notThese.contains(mark.workspaceId())) {
                    try {
                        free.await();
                    } catch (InterruptedException stopped) {
                        throw new StartDelayed("stopped");
                    }
                    throw new StartDelayed("too late");
                }
                return ScriptedAgents.STEADY.of(mark, tier);
            }

            @Override
            public Set<String> adapters() {
                return ScriptedAgents.STEADY.adapters();
            }
        };
    }

    /** Not the first so many times. */
    private static AgentCommand impossible(int times) {
        var tries = new AtomicInteger();
        return new AgentCommand() {
            @Override
            public List<String> of(AgentMark mark, Tier tier) {
                if (tries.incrementAndGet() <= times) {
                    throw new StartDelayed("workspace start failed: no room");
                }
                return ScriptedAgents.STEADY.of(mark, tier);
            }

            @Override
            public Set<String> adapters() {
                return ScriptedAgents.STEADY.adapters();
            }
        };
    }

    @Test
    void children_of_an_agent_that_died_do_not_live_on(Vertx vertx) {
        with(
                        vertx,
                        ScriptedAgents.script(
                                "setsid sh -c 'while :; do sleep 0.1; done' & echo $!; while :; do sleep 0.1; done"))
                .start();
        var id = provisioning.running();
        await().until(() -> provisioning.backend().logTail(id).await().matches("[0-9]+"));
        long child = Long.parseLong(provisioning.backend().logTail(id).await());

        Processes.kill(provisioning.pid(id));

        await().until(() -> !Processes.alive(child));
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
}
