package ai.molecule.provisioner.reconcile;

import ai.molecule.common.bus.registry.ManagedWorkspace;
import ai.molecule.provisioner.backend.AgentProcess;
import ai.molecule.provisioner.backend.Backend;
import ai.molecule.provisioner.instances.Instance;
import ai.molecule.provisioner.instances.Instance.State;
import ai.molecule.provisioner.instances.InstanceStore;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One workspace: read what is wanted and what is there, decide, act. To be called on a virtual thread. */
record Reconciler(
        RegistryCalls registry,
        InstanceStore instances,
        Backend backend,
        Watches watches,
        Plan plan,
        Steps steps,
        BiConsumer<UUID, Duration> lookAgain,
        Clock clock) {

    private static final Logger LOGGER = LoggerFactory.getLogger(Reconciler.class);

    /** Another provisioner works on the workspace, perhaps on an older wish: look again when it is done. */
    private static final Duration LOCK_RETRY = Duration.ofSeconds(1);

    /** Does what is to be done but for a start; whether one is due. */
    boolean look(UUID workspaceId) throws IOException {
        return act(workspaceId, false);
    }

    /** Does what is to be done, a start too. */
    void start(UUID workspaceId) throws IOException {
        act(workspaceId, true);
    }

    private boolean act(UUID workspaceId, boolean starting) throws IOException {
        var lock = instances.tryLock(workspaceId).await();
        if (lock.isEmpty()) {
            lookAgain.accept(workspaceId, LOCK_RETRY);
            return false;
        }
        try {
            var managed = registry.find(workspaceId);
            var instance = instances.find(workspaceId).await().orElse(null);
            Supplier<Optional<AgentProcess>> byName =
                    () -> backend.findAlive(workspaceId, null).await();
            var decision = decide(workspaceId, managed, instance, byName);
            if (decision instanceof Decision.Start && !starting) {
                return true;
            }
            if (managed != null && managed.quarantined() && !(decision instanceof Decision.Nothing)) {
                cutOff(workspaceId);
            }
            steps.take(workspaceId, decision);
            return false;
        } finally {
            lock.get().release().otherwiseEmpty().await(); // a lost connection has released it
        }
    }

    /** Its process is about to end anyway: an engine that cannot do this now keeps it from nothing. */
    private void cutOff(UUID workspaceId) {
        backend.cutOff(workspaceId)
                .onFailure(failure -> LOGGER.atWarn()
                        .setCause(failure)
                        .addKeyValue("workspaceId", workspaceId)
                        .log("a quarantined agent could not be taken off the network before it is stopped"))
                .otherwiseEmpty()
                .await();
    }

    /**
     * Reads only; also how the sweep finds out whether there is anything to do.
     *
     * @param byName the workspace's process, recorded or not; asked only when none is recorded or that one has gone
     */
    Decision decide(
            UUID workspaceId,
            @Nullable ManagedWorkspace managed,
            @Nullable Instance instance,
            Supplier<Optional<AgentProcess>> byName) {
        return plan.decide(managed, instance, observe(workspaceId, instance, byName), clock.instant());
    }

    private Observation observe(
            UUID workspaceId, @Nullable Instance instance, Supplier<Optional<AgentProcess>> byName) {
        var recorded = instance == null ? null : instance.process();
        var alive = recorded == null
                ? Optional.<AgentProcess>empty()
                : backend.findAlive(workspaceId, recorded).await();
        if (alive.isEmpty()) {
            alive = byName.get();
        }
        if (alive.isPresent()) {
            return new Observation.Running(
                    alive.get(),
                    watches.isAnnounced(workspaceId, alive.get()),
                    instance != null && watches.isSilent(workspaceId, instance.incarnation(), clock.instant()));
        }
        if (instance == null || instance.state() != State.RUNNING) {
            return new Observation.Gone("no process", false);
        }
        return new Observation.Gone(
                backend.describeExit(workspaceId, instance.process()).await(),
                watches.covers(workspaceId, instance.process()));
    }
}
