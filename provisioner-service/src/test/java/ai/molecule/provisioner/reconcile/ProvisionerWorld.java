package ai.molecule.provisioner.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.registry.ManagedWorkspace.Desired;
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
import ai.molecule.provisioner.testing.StandInRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/**
 * The world in which provisioners live and die: one registry, one database and one disk, which stay; and a clock that a story moves.
 */
final class ProvisionerWorld {

    /** More than the next provisioner needs for anything: a death, a wait, a restart, a start, a look. */
    private static final int LOOKS_MAX = 8;

    private static final Plan PLAN =
            new Plan(ProvisioningTimeout.always(Duration.ofMinutes(30)), id -> false, () -> false);

    private final Vertx vertx;
    private final Path data;
    private final Provisioning provisioning;
    private final Backend provisioned;
    private final List<String> wrongs = new ArrayList<>();
    private Duration passed = Duration.ZERO;

    ProvisionerWorld(Vertx vertx, Path data, Provisioning provisioning) {
        this.vertx = vertx;
        this.data = data;
        this.provisioning = provisioning;
        this.provisioned = provisioning.backend();
    }

    StandInRegistry registry() {
        return provisioning.registry;
    }

    InstanceStore instances() {
        return provisioning.instances;
    }

    /** Starts that must not have been. */
    List<String> wrongs() {
        return List.copyOf(wrongs);
    }

    /** From here on time is what it is. */
    void forgetTimePassed() {
        passed = Duration.ZERO;
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

    void look(Reconciler provisioner, UUID id) {
        try {
            if (provisioner.look(id)) {
                provisioner.start(id);
            }
        } catch (ApiError killed) {
            assertThat(killed).hasMessage("killed");
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    Reconciler provisioner(CrashPoint crash, UUID id, Story story) {
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
        var contexts = new RestartContexts(time -> Future.failedFuture("not here"), new Bus(vertx), clock, false);
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
