package ai.molecule.provisioner.lifecycle;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.registry.Hibernate;
import ai.molecule.common.bus.registry.ManagedWorkspace;
import ai.molecule.common.bus.registry.SetDesired;
import ai.molecule.common.bus.registry.SetDesired.Action;
import ai.molecule.common.bus.registry.WakeWorkspace;
import ai.molecule.provisioner.backend.Backend;
import ai.molecule.provisioner.backend.OurWorkspaces;
import ai.molecule.provisioner.configs.ConfigFile;
import ai.molecule.provisioner.templates.AgentConfigs;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes intents through the registry, which decides whether they are allowed, and has them carried out at once.
 *
 * @param reconcile completes when the workspace was looked at and acted upon
 */
public record LifecycleService(Bus bus, Backend backend, AgentConfigs configs, Function<UUID, Future<Void>> reconcile) {

    private static final Logger LOGGER = LoggerFactory.getLogger(LifecycleService.class);

    /** How long a pause waits for its processes to end. The reconciler goes on after it. */
    private static final Duration PAUSE_MAX = Duration.ofSeconds(15);

    /**
     * Where its configs come from now. The runtime is the registry's; the agent's own config changes it where a template was put over
     * it, or where it names another runtime than when it was last read. Fails with UNAVAILABLE without a backend.
     */
    Future<String> restart(UUID workspaceId, RestartWish wish, boolean ofBranch) {
        return requireBackend()
                .compose(available -> new OurWorkspaces(bus).find(workspaceId))
                .compose(ours -> prepare(ours, wish)
                        .compose(source -> newRuntimeOf(ours, source)
                                .compose(runtime -> set(workspaceId, Action.RESTART, runtime.orElse(null), ofBranch))
                                .onSuccess(this::reconcileAll)
                                .map(source)));
    }

    /** A workspace that is not ours has no configs here; whether it can be restarted the registry says. */
    private Future<String> prepare(Optional<ManagedWorkspace> ours, RestartWish wish) {
        return ours.filter(workspace -> wish.asksForTemplate() || wish.reset())
                .map(workspace -> forgetSessions(workspace, wish)
                        .compose(forgotten -> configs.reapply(
                                workspace.id(), workspace.name(), workspace.runtime(), wish.ofTemplates())))
                .orElse(Future.succeededFuture(AgentConfigs.EXISTING));
    }

    private Future<Optional<String>> newRuntimeOf(Optional<ManagedWorkspace> ours, String source) {
        return ours.map(workspace -> ConfigFile.runtimeIn(backend.files(), workspace.id())
                        .map(named -> named.filter(runtime ->
                                !source.equals(AgentConfigs.EXISTING) || !runtime.equals(workspace.configRuntime()))))
                .orElse(Future.succeededFuture(Optional.empty()))
                .otherwise(Optional.empty()); // then the stored one counts
    }

    private Future<?> forgetSessions(ManagedWorkspace workspace, RestartWish wish) {
        return wish.reset() ? backend.forgetSessions(workspace.id()) : Future.succeededFuture();
    }

    /** How many were paused, once their processes have ended. @param ofBranch see {@link SetDesired} */
    Future<Integer> pause(UUID workspaceId, boolean ofBranch) {
        return set(workspaceId, Action.PAUSE, null, ofBranch)
                .compose(changed -> stopped(changed).map(changed.size()));
    }

    /** How many will run again. */
    Future<Integer> resume(UUID workspaceId, boolean ofBranch) {
        return requireBackend()
                .compose(available -> set(workspaceId, Action.RESUME, null, ofBranch))
                .onSuccess(this::reconcileAll)
                .map(List::size);
    }

    /** Completes when its process has ended. */
    Future<Void> hibernate(UUID workspaceId, boolean force) {
        return requireBackend()
                .compose(available -> bus.call(Hibernate.CONTRACT, new Hibernate(workspaceId, force)))
                .compose(asleep -> stopped(List.of(workspaceId)));
    }

    /** Whether a start was begun: it was asleep. */
    Future<Boolean> wake(UUID workspaceId) {
        return requireBackend()
                .compose(available -> bus.call(WakeWorkspace.CONTRACT, new WakeWorkspace(workspaceId)))
                .map(WakeWorkspace.Woken::begun)
                .onSuccess(begun -> reconcileAll(List.of(workspaceId)));
    }

    private Future<Void> requireBackend() {
        return backend.available()
                ? Future.succeededFuture()
                : Future.failedFuture(ApiError.unavailable("provisioner not available"));
    }

    private Future<List<UUID>> set(UUID workspaceId, Action action, @Nullable String runtime, boolean ofBranch) {
        return bus.call(SetDesired.CONTRACT, new SetDesired(workspaceId, action, runtime, null, ofBranch))
                .map(SetDesired.Done::changed);
    }

    /** Never fails: the reconciler goes on. */
    private Future<Void> stopped(List<UUID> workspaceIds) {
        return reconcileAll(workspaceIds)
                .timeout(PAUSE_MAX.toMillis(), TimeUnit.MILLISECONDS)
                .onFailure(late -> LOGGER.atWarn()
                        .addKeyValue("workspaces", workspaceIds)
                        .addKeyValue("reason", late.toString())
                        .log("not every process is known to have stopped yet"))
                .transform(stopped -> Future.succeededFuture());
    }

    private Future<?> reconcileAll(List<UUID> workspaceIds) {
        return Future.join(workspaceIds.stream().map(reconcile).toList());
    }
}
