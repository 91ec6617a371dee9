package ai.molecule.provisioner.reconcile;

import ai.molecule.common.bus.registry.ManagedWorkspace;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.provisioner.backend.AgentProcess;
import ai.molecule.provisioner.instances.Instance;
import ai.molecule.provisioner.instances.Instance.State;
import ai.molecule.provisioner.reconcile.Observation.Gone;
import ai.molecule.provisioner.reconcile.Observation.Running;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Compares what is wanted of a workspace with what is there. The rules, in order, are those of docs/wire/provisioner.md.
 *
 * @param provisioningTimeout how long an agent may take from its start until it is online
 * @param purged whether the registry said of a workspace that somebody deleted it for good
 * @param manyVanished whether so many workspaces are not listed that the registry is doubted, see {@link Vanished}
 */
record Plan(ProvisioningTimeout provisioningTimeout, Predicate<UUID> purged, BooleanSupplier manyVanished) {

    /**
     * How long a workspace the registry no longer lists, and did not say why, keeps its files: it may be the registry that is wrong, on another
     * database or one that was set back.
     */
    static final Duration ORPHAN_KEPT = Duration.ofDays(21);

    private static final Decision NOTHING = new Decision.Nothing();

    /**
     * @param managed what the registry wants; null when it answered that it does not list the workspace
     * @param instance what was done so far; null when nothing
     */
    Decision decide(
            @Nullable ManagedWorkspace managed, @Nullable Instance instance, Observation observed, Instant now) {
        if (instance == null) {
            return unrecorded(managed, observed);
        }
        if (managed == null) {
            return orphan(instance, observed, now);
        }
        return switch (managed.desired()) {
            case REMOVED -> new Decision.Delete(processOf(observed));
            case PAUSED, SLEEPING -> paused(instance, observed);
            case RUNNING -> wanted(managed, instance, observed, now);
        };
    }

    /** A process of ours that no record tells of belongs to nobody: what is wanted is started anew, with a record. */
    private static Decision unrecorded(@Nullable ManagedWorkspace managed, Observation observed) {
        var process = processOf(observed);
        if (managed != null && isFirstStart(managed)) {
            return new Decision.Start(managed, process);
        }
        if (process == null) {
            return NOTHING;
        }
        return managed != null
                        && managed.desired() == ManagedWorkspace.Desired.RUNNING
                        && managed.status() != WorkspaceStatus.FAILED
                        && !managed.runtime().equals("external")
                ? new Decision.Restart(managed)
                : new Decision.Stray(process);
    }

    /** Without a record the workspace is ours only while it waits for its first process: others may have registered by hand. */
    private static boolean isFirstStart(ManagedWorkspace managed) {
        return managed.desired() == ManagedWorkspace.Desired.RUNNING
                && managed.status() == WorkspaceStatus.PROVISIONING
                && !managed.runtime().equals("external");
    }

    private Decision orphan(Instance instance, Observation observed, Instant now) {
        if (observed instanceof Running running) {
            return new Decision.Stop(running.process());
        }
        if (instance.state() != State.STOPPED) {
            return new Decision.Stop(null);
        }
        boolean over = instance.updatedAt().plus(ORPHAN_KEPT).isBefore(now) && !manyVanished.getAsBoolean();
        return purged.test(instance.workspaceId()) || over ? new Decision.Delete(null) : NOTHING;
    }

    private static Decision paused(Instance instance, Observation observed) {
        var process = processOf(observed);
        return process != null || instance.state() != State.STOPPED ? new Decision.Stop(process) : NOTHING;
    }

    private Decision wanted(ManagedWorkspace managed, Instance instance, Observation observed, Instant now) {
        if (managed.incarnation() < instance.incarnation()) {
            return NOTHING; // an answer older than what we did
        }
        if (managed.incarnation() > instance.incarnation()) {
            return nextStart(managed, instance, observed);
        }
        if (managed.status() == WorkspaceStatus.FAILED && instance.state() != State.FAILED) {
            return new Decision.GivenUp(managed, processOf(observed));
        }
        return switch (observed) {
            case Running running ->
                switch (instance.state()) {
                    case STARTING, RUNNING -> running(managed, instance, running, now);
                    case EXITED, STOPPED, FAILED -> new Decision.Stray(running.process());
                };
            case Gone gone ->
                switch (instance.state()) {
                    case STARTING -> starting(managed, instance, now);
                    case RUNNING -> new Decision.Died(managed, instance, gone);
                    case EXITED ->
                        instance.restartAt() != null && instance.restartAt().isAfter(now)
                                ? NOTHING
                                : new Decision.Restart(managed);
                    case STOPPED -> new Decision.Restart(managed); // stopped as an orphan, and wanted after all
                    case FAILED -> NOTHING;
                };
        };
    }

    /** What a crash cut short has no reason, and is tried again at once. */
    private Decision starting(ManagedWorkspace managed, Instance instance, Instant now) {
        var timeout = provisioningTimeout.of(managed.runtime());
        var since = instance.firstTriedAt();
        return since != null
                        && instance.lastReason() != null
                        && since.plus(timeout).isBefore(now)
                ? new Decision.GiveUp(managed, null, timeout, instance.lastReason())
                : new Decision.Start(managed, null);
    }

    private static Decision nextStart(ManagedWorkspace managed, Instance instance, Observation observed) {
        boolean provisioning = managed.status() == WorkspaceStatus.PROVISIONING;
        boolean failed = managed.status() == WorkspaceStatus.FAILED;
        boolean gaveUp = instance.state() == State.FAILED;
        if (provisioning || (!failed && !gaveUp)) {
            return new Decision.Start(managed, processOf(observed));
        }
        return observed instanceof Running running ? new Decision.Stop(running.process()) : NOTHING;
    }

    private Decision running(ManagedWorkspace managed, Instance instance, Running running, Instant now) {
        boolean another = instance.process() != null
                && !instance.process().id().equals(running.process().id());
        if (another || (running.silent() && managed.status() == WorkspaceStatus.OFFLINE)) {
            return new Decision.Hung(managed, instance, running.process());
        }
        if (!running.announced()) {
            return new Decision.Adopt(managed, instance, running.process());
        }
        var timeout = provisioningTimeout.of(managed.runtime());
        var waited = Duration.between(waitingSince(managed, running.process()), now);
        return managed.status() == WorkspaceStatus.PROVISIONING && waited.compareTo(timeout) > 0
                ? new Decision.GiveUp(managed, running.process(), timeout, null)
                : NOTHING;
    }

    /** A workspace that waited for us while we were away gets its whole time from its start on. */
    private static Instant waitingSince(ManagedWorkspace managed, AgentProcess process) {
        var since = managed.provisioningSince();
        return since != null && since.isAfter(process.startedAt()) ? since : process.startedAt();
    }

    private static @Nullable AgentProcess processOf(Observation observed) {
        return observed instanceof Running running ? running.process() : null;
    }
}
