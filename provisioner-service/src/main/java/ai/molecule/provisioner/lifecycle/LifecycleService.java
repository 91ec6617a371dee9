package ai.molecule.provisioner.lifecycle;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.registry.SetDesired;
import ai.molecule.common.bus.registry.SetDesired.Action;
import ai.molecule.provisioner.backend.Backend;
import ai.molecule.provisioner.configs.ConfigFile;
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

/** Writes intents through the registry, which decides whether they are allowed, and has them carried out at once. */
public final class LifecycleService {

    private static final Logger LOGGER = LoggerFactory.getLogger(LifecycleService.class);

    /** How long a pause waits for its processes to end. The reconciler goes on after it. */
    private static final Duration PAUSE_MAX = Duration.ofSeconds(15);

    private final Bus bus;
    private final Backend backend;
    private final Function<UUID, Future<Void>> reconcile;

    /** @param reconcile completes when the workspace was looked at and acted upon */
    public LifecycleService(Bus bus, Backend backend, Function<UUID, Future<Void>> reconcile) {
        this.bus = bus;
        this.backend = backend;
        this.reconcile = reconcile;
    }

    /** The agent's own config says which runtime it wants; fails with UNAVAILABLE without a backend. */
    Future<Void> restart(UUID workspaceId) {
        return requireBackend()
                .compose(available -> ConfigFile.runtimeIn(backend.files(), workspaceId)
                        .otherwise(Optional.empty())) // then the stored one counts
                .compose(runtime -> set(workspaceId, Action.RESTART, runtime.orElse(null)))
                .onSuccess(this::reconcileAll)
                .mapEmpty();
    }

    /** How many were paused, once their processes have ended. */
    Future<Integer> pause(UUID workspaceId) {
        return set(workspaceId, Action.PAUSE, null)
                .compose(changed -> reconcileAll(changed)
                        .timeout(PAUSE_MAX.toMillis(), TimeUnit.MILLISECONDS)
                        .onFailure(late -> LOGGER.atWarn()
                                .addKeyValue("workspaceId", workspaceId)
                                .addKeyValue("reason", late.toString())
                                .log("paused, but not every process is known to have stopped yet"))
                        .transform(stopped -> Future.succeededFuture(changed.size())));
    }

    /** How many will run again. */
    Future<Integer> resume(UUID workspaceId) {
        return requireBackend()
                .compose(available -> set(workspaceId, Action.RESUME, null))
                .onSuccess(this::reconcileAll)
                .map(List::size);
    }

    private Future<Void> requireBackend() {
        return backend.available()
                ? Future.succeededFuture()
                : Future.failedFuture(ApiError.unavailable("provisioner not available"));
    }

    private Future<List<UUID>> set(UUID workspaceId, Action action, @Nullable String runtime) {
        return bus.call(SetDesired.CONTRACT, new SetDesired(workspaceId, action, runtime, null))
                .map(SetDesired.Done::changed);
    }

    private Future<?> reconcileAll(List<UUID> workspaceIds) {
        return Future.join(workspaceIds.stream().map(reconcile).toList());
    }
}
