package ai.molecule.provisioner.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.bus.registry.ManagedWorkspace.Desired;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.provisioner.instances.Instance.State;
import ai.molecule.provisioner.testing.Processes;
import ai.molecule.provisioner.testing.Provisioning;
import ai.molecule.provisioner.testing.ScriptedAgents;
import ai.molecule.provisioner.testing.Wire;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A provisioner is killed after each of its steps in turn; then the next one comes. The steps are not listed here: a first run counts
 * them. Processes, database and folders are real.
 */
@Tag("full")
@ExtendWith(VertxExtension.class)
class DyingAtEveryStepTest {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path data;

    @SuppressWarnings("NullAway.Init")
    private Provisioning provisioning;

    @SuppressWarnings("NullAway.Init")
    private ProvisionerWorld world;

    private final List<UUID> created = new ArrayList<>();

    @BeforeEach
    void open(Vertx vertx) {
        provisioning = new Provisioning(vertx, data, ScriptedAgents.STEADY);
        world = new ProvisionerWorld(vertx, data, provisioning);
    }

    @AfterEach
    void close() {
        created.forEach(Processes::kill);
        provisioning.close();
    }

    @ParameterizedTest
    @EnumSource(Story.class)
    void the_next_one_completes_what_was_begun(Story story) {
        var whole = CrashPoint.never();
        tell(story, whole);
        assertThat(whole.steps()).isGreaterThan(3);
        for (int step = 0; step < whole.steps(); step++) {
            tell(story, CrashPoint.after(step));
        }
    }

    private void tell(Story story, CrashPoint crash) {
        world.forgetTimePassed();
        provisioning.registry.secrets(Map.of());
        var id = provisioning.registry.create("echo");
        created.add(id);
        if (!story.fromNew) {
            world.settle(id);
            provisioning.registry.online(id);
        }
        story.prepare.accept(world, id);

        try {
            var first = world.provisioner(crash, id, story);
            world.look(first, id);
            world.pass(Duration.ofSeconds(70));
            world.look(first, id);
        } finally {
            provisioning.registry.wire(Wire.WHOLE);
        }
        story.meanwhile(provisioning.registry, id);
        world.settle(id);

        assertThat(world.wrongs())
                .as("%s, killed after step %d", story, crash.steps())
                .isEmpty();
        check(story, id, "%s, killed after step %d".formatted(story, crash.steps()));
        created.remove(id);
        if (story != Story.NO_LONGER_LISTED) {
            provisioning.registry.forget(id);
        }
    }

    private void check(Story story, UUID id, String when) {
        var running = Processes.marked(id).toList();
        running.forEach(ProcessHandle::destroyForcibly);
        long processes = running.size();
        var instance = provisioning.instance(id);
        when += ", now %s, wanted %s".formatted(instance, provisioning.registry.find(id));
        switch (story) {
            case PAUSE, PAUSED_AFTER_A_KILLED_START -> {
                assertThat(processes).as(when).isZero();
                assertThat(provisioning.registry.get(id).desired()).isEqualTo(Desired.PAUSED);
            }
            case FALLING_ASLEEP -> {
                assertThat(processes).as(when).isZero();
                assertThat(Files.exists(data.resolve("workspaces/" + id)))
                        .as(when)
                        .isTrue();
                assertThat(instance.orElseThrow().state()).as(when).isEqualTo(State.STOPPED);
            }
            case REMOVAL, REMOVED_AFTER_A_KILLED_START -> {
                assertThat(processes).as(when).isZero();
                assertThat(instance).as(when).isEmpty();
                assertThat(Files.exists(data.resolve("workspaces/" + id)))
                        .as(when)
                        .isFalse();
            }
            case LAST_DEATH_OF_A_LOOP, NOT_ONLINE_IN_TIME, REFUSED_START -> {
                if (provisioning.registry.get(id).status() == WorkspaceStatus.FAILED) {
                    assertThat(processes).as(when).isZero();
                    assertThat(instance.map(known -> known.state() == State.FAILED)
                                    .orElse(true))
                            .as(when)
                            .isTrue();
                } else {
                    assertThat(processes).as(when).isEqualTo(1); // nobody saw the last death, or the hour began anew
                }
            }
            case NO_LONGER_LISTED -> {
                assertThat(processes).as(when).isZero();
                assertThat(instance.orElseThrow().state()).as(when).isEqualTo(State.STOPPED);
            }
            default -> {
                assertThat(processes).as(when).isEqualTo(1);
                assertThat(instance.orElseThrow().state()).as(when).isEqualTo(State.RUNNING);
                assertThat(instance.orElseThrow().incarnation())
                        .as(when)
                        .isEqualTo(provisioning.registry.get(id).incarnation());
                assertThat(provisioning.registry.endpoints().getLast().incarnation())
                        .as(when)
                        .isEqualTo(provisioning.registry.get(id).incarnation());
            }
        }
    }
}
