package ai.molecule.provisioner.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.registry.ManagedWorkspace.Desired;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.provisioner.backend.AgentDefaults;
import ai.molecule.provisioner.backend.Backend;
import ai.molecule.provisioner.backend.Launch;
import ai.molecule.provisioner.instances.Instance;
import ai.molecule.provisioner.instances.Instance.State;
import ai.molecule.provisioner.instances.InstanceStore;
import ai.molecule.provisioner.templates.AgentConfigs;
import ai.molecule.provisioner.templates.Templates;
import ai.molecule.provisioner.testing.Processes;
import ai.molecule.provisioner.testing.Provisioning;
import ai.molecule.provisioner.testing.ScriptedAgents;
import ai.molecule.provisioner.testing.StandInRegistry;
import ai.molecule.provisioner.testing.Wire;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A provisioner is killed after each of its steps in turn; then the next one comes. The steps are not listed here: a first run counts
 * them. Processes, database and folders are real.
 */
@ExtendWith(VertxExtension.class)
class DyingAtEveryStepTest {

    /** More than the next provisioner needs for anything: a death, a wait, a restart, a start, a look. */
    private static final int LOOKS_MAX = 8;

    private static final Plan PLAN = new Plan(ProvisioningTimeout.always(Duration.ofMinutes(30)));

    /** What happens to a workspace that ran well, or is new. */
    enum Story {
        FIRST_START(Story::nothing, true),
        RESTART((world, id) -> world.registry().restart(id), false),
        PAUSE((world, id) -> world.registry().pause(id), false),
        RESUME(
                (world, id) -> {
                    world.registry().pause(id);
                    world.settle(id);
                    world.registry().restart(id);
                },
                false),
        REMOVAL((world, id) -> world.registry().remove(id), false),
        DEATH((world, id) -> world.kill(id), false),
        FALLING_SILENT((world, id) -> world.registry().offline(id), false),
        LAST_DEATH_OF_A_LOOP(
                (world, id) -> {
                    world.died(id, 2);
                    world.kill(id);
                },
                false),
        NOT_ONLINE_IN_TIME(
                (world, id) -> {
                    world.registry().restart(id);
                    world.settle(id);
                    world.pass(Duration.ofHours(1));
                },
                false),
        REFUSED_START((world, id) -> world.registry().undecryptable("global:KEY"), true),
        NO_LONGER_LISTED((world, id) -> world.registry().forget(id), false),
        RECORD_LOST((world, id) -> world.instances().delete(id).await(), false),
        PAUSED_AFTER_A_KILLED_START(Story::nothing, true),
        REMOVED_AFTER_A_KILLED_START(Story::nothing, true),
        RESTARTED_AFTER_A_KILLED_START(Story::nothing, true);

        private final BiConsumer<DyingAtEveryStepTest, UUID> prepare;
        private final boolean fromNew;

        Story(BiConsumer<DyingAtEveryStepTest, UUID> prepare, boolean fromNew) {
            this.prepare = prepare;
            this.fromNew = fromNew;
        }

        private static void nothing(DyingAtEveryStepTest world, UUID id) {}

        /** What people do while no provisioner runs. */
        void meanwhile(StandInRegistry registry, UUID id) {
            switch (this) {
                case PAUSED_AFTER_A_KILLED_START -> registry.pause(id);
                case REMOVED_AFTER_A_KILLED_START -> registry.remove(id);
                case RESTARTED_AFTER_A_KILLED_START -> registry.restart(id);
                default -> {}
            }
        }
    }

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path data;

    @SuppressWarnings("NullAway.Init")
    private Vertx vertx;

    @SuppressWarnings("NullAway.Init")
    private Provisioning provisioning;

    @SuppressWarnings("NullAway.Init")
    private Backend provisioned;

    private final List<UUID> created = new ArrayList<>();
    private final List<String> wrongs = new ArrayList<>();
    private Duration passed = Duration.ZERO;

    @BeforeEach
    void open(Vertx given) {
        vertx = given;
        provisioning = new Provisioning(given, data, ScriptedAgents.STEADY);
        provisioned = provisioning.backend();
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
        passed = Duration.ZERO;
        registry().secrets(Map.of());
        var id = registry().create("echo");
        created.add(id);
        if (!story.fromNew) {
            settle(id);
            registry().online(id);
        }
        story.prepare.accept(this, id);

        try {
            var first = provisioner(crash, id, story);
            look(first, id);
            pass(Duration.ofSeconds(70));
            look(first, id);
        } finally {
            registry().wire(Wire.WHOLE);
        }
        story.meanwhile(registry(), id);
        settle(id);

        assertThat(wrongs).as("%s, killed after step %d", story, crash.steps()).isEmpty();
        check(story, id, "%s, killed after step %d".formatted(story, crash.steps()));
        created.remove(id);
        if (story != Story.NO_LONGER_LISTED) {
            registry().forget(id);
        }
    }

    private void check(Story story, UUID id, String when) {
        var running = Processes.marked(id).toList();
        running.forEach(ProcessHandle::destroyForcibly);
        long processes = running.size();
        var instance = provisioning.instance(id);
        when += ", now %s, wanted %s".formatted(instance, registry().find(id));
        switch (story) {
            case PAUSE, PAUSED_AFTER_A_KILLED_START -> {
                assertThat(processes).as(when).isZero();
                assertThat(registry().get(id).desired()).isEqualTo(Desired.PAUSED);
            }
            case REMOVAL, REMOVED_AFTER_A_KILLED_START -> {
                assertThat(processes).as(when).isZero();
                assertThat(instance).as(when).isEmpty();
                assertThat(Files.exists(data.resolve("workspaces/" + id)))
                        .as(when)
                        .isFalse();
            }
            case LAST_DEATH_OF_A_LOOP, NOT_ONLINE_IN_TIME, REFUSED_START -> {
                if (registry().get(id).status() == WorkspaceStatus.FAILED) {
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
                        .isEqualTo(registry().get(id).incarnation());
                assertThat(registry().endpoints().getLast().incarnation())
                        .as(when)
                        .isEqualTo(registry().get(id).incarnation());
            }
        }
    }

    private void look(Reconciler provisioner, UUID id) {
        try {
            provisioner.reconcile(id);
        } catch (ApiError killed) {
            assertThat(killed).hasMessage("killed");
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    StandInRegistry registry() {
        return provisioning.registry;
    }

    InstanceStore instances() {
        return provisioning.instances;
    }

    void pass(Duration time) {
        passed = passed.plus(time);
    }

    /** A provisioner that lives looks until there is nothing more to do. */
    void settle(UUID id) {
        var living = provisioner(CrashPoint.never(), id, Story.FIRST_START);
        for (int look = 0; look < LOOKS_MAX && !isSettled(living, id); look++) {
            look(living, id);
            pass(Duration.ofSeconds(70));
        }
    }

    private boolean isSettled(Reconciler living, UUID id) {
        var managed = new RegistryCalls(new Bus(vertx)).find(id);
        var instance = provisioning.instance(id).orElse(null);
        var decision = living.decide(
                id, managed, instance, () -> provisioned.findAlive(id, null).await());
        return decision instanceof Decision.Nothing && (instance == null || instance.state() != State.EXITED);
    }

    void kill(UUID id) {
        var marked = Processes.marked(id).toList();
        marked.forEach(ProcessHandle::destroyForcibly);
        marked.forEach(process -> process.onExit().join());
    }

    void died(UUID id, int times) {
        var instance = provisioning.instance(id).orElseThrow();
        var now = clock().instant();
        var deaths = IntStream.range(0, times).mapToObj(i -> now).toList();
        var process = instance.process();
        instances().exited(id, times, deaths, now, "exit code 1", now).await();
        if (process != null) {
            // as if it had been started again
            instances().running(id, process, now).await();
        }
    }

    private Reconciler provisioner(CrashPoint crash, UUID id, Story story) {
        registry().wire(crash);
        var instances = crash.between(InstanceStore.class, provisioning.instances);
        var backend = crash.between(Backend.class, watched(provisioned));
        var registry = new RegistryCalls(new Bus(vertx));
        var watches = new Watches(backend, exited -> {});
        BiConsumer<UUID, Duration> lookAgain = (due, after) -> {};
        var clock = clock();
        var deaths = new Deaths(
                registry,
                instances,
                backend,
                watches,
                Provisioning.QUICK,
                lookAgain,
                clock,
                RandomGenerator.getDefault());
        switch (story) {
            case FALLING_SILENT -> watches.silent(id, 1, clock.instant().plusSeconds(600));
            case LAST_DEATH_OF_A_LOOP ->
                watches.begin(
                        id, provisioning.instance(id).map(Instance::process).orElseThrow());
            default -> {}
        }
        var contexts = new RestartContexts(time -> Future.failedFuture("not here"), new Bus(vertx), clock);
        var starts = new Starts(
                registry,
                instances,
                backend,
                new AgentConfigs(provisioned.files(), new Templates(vertx, data.resolve("templates"))),
                watches,
                contexts,
                (workspaceId, tier, reason) -> Future.succeededFuture(),
                AgentDefaults.NONE,
                clock);
        var steps = new Steps(registry, instances, backend, starts, watches, deaths, clock);
        return new Reconciler(registry, instances, backend, watches, PLAN, steps, lookAgain, clock);
    }

    /** Notices a start that must not be. */
    private Backend watched(Backend backend) {
        return (Backend) Proxy.newProxyInstance(
                Backend.class.getClassLoader(), new Class<?>[] {Backend.class}, (proxy, method, args) -> {
                    try {
                        if (method.getName().equals("start")) {
                            var id = ((Launch) args[0]).workspace().id();
                            if (registry().get(id).desired() != Desired.RUNNING) {
                                wrongs.add(
                                        "started although " + registry().get(id).desired());
                            }
                            if (Provisioning.processesOf(id) > 0) {
                                wrongs.add("started twice");
                            }
                        }
                        return method.invoke(backend, args);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }

    private Clock clock() {
        return new Clock() {
            @Override
            public ZoneId getZone() {
                return ZoneOffset.UTC;
            }

            @Override
            public Clock withZone(ZoneId zone) {
                return this;
            }

            @Override
            public Instant instant() {
                return Instant.now().plus(passed);
            }
        };
    }
}
