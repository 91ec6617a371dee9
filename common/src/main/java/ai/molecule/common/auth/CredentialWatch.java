package ai.molecule.common.auth;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.hints.TokensChanged;
import ai.molecule.common.bus.hints.WorkspaceChanged;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Ends what stays open, a socket, a stream or a call, when the bearer that opened it would not open it any more. Looked at when the workspace or
 * its tokens change (all when a person or an org token changed), once more when no replica can still remember an older verdict, and at every
 * interval in case those hints were lost. To be used on one event loop.
 *
 * @param <T> what is watched; each by itself
 */
public final class CredentialWatch<T> {

    /** Longer than the verdict is remembered by the registry and here, one after the other. */
    private static final Duration REMEMBERED_MAX = Duration.ofSeconds(5);

    private static final int INTERNAL = ApiError.Kind.INTERNAL.status();

    private record Opened(Set<UUID> workspaces, Supplier<? extends Future<?>> again, Consumer<ApiError> end) {}

    private final Vertx vertx;
    private final Duration lookAgainAfter;
    private final Map<T, Opened> watched = new HashMap<>();
    private final Map<UUID, Set<T>> byWorkspace = new HashMap<>();
    private final Set<UUID> toLookAtAgain = new HashSet<>();

    public CredentialWatch(Vertx vertx, Bus bus, Duration every) {
        this(vertx, bus, every, REMEMBERED_MAX);
    }

    CredentialWatch(Vertx vertx, Bus bus, Duration every, Duration lookAgainAfter) {
        this.vertx = vertx;
        this.lookAgainAfter = lookAgainAfter;
        bus.listen(WorkspaceChanged.HINT, changed -> changed(changed.workspaceId()));
        bus.listen(TokensChanged.HINT, changed -> {
            if (changed.workspaceId() == null) {
                lookAt(watched.keySet());
                vertx.setTimer(lookAgainAfter.toMillis(), later -> lookAt(watched.keySet()));
            } else {
                changed(changed.workspaceId());
            }
        });
        vertx.setPeriodic(every.toMillis(), timer -> lookAt(watched.keySet()));
    }

    /**
     * Watches until {@link #forget}.
     *
     * @param workspaces whose changes matter besides those of people: the one whose token it is, the one that is looked at
     * @param again fails with a refusal when it would not be opened any more; any other failure ends nothing, because a registry that does
     *     not answer has revoked nothing
     * @param end given that refusal; may come more than once until it is forgotten
     */
    public void watch(T one, Set<UUID> workspaces, Supplier<? extends Future<?>> again, Consumer<ApiError> end) {
        watched.put(one, new Opened(workspaces, again, end));
        workspaces.forEach(workspace ->
                byWorkspace.computeIfAbsent(workspace, id -> new HashSet<>()).add(one));
    }

    public void forget(T one) {
        var opened = watched.remove(one);
        if (opened != null) {
            opened.workspaces.forEach(workspace -> byWorkspace.computeIfPresent(workspace, (id, some) -> {
                some.remove(one);
                return some.isEmpty() ? null : some;
            }));
        }
    }

    /** Of a branch that is removed each workspace is told of by itself. */
    private void changed(UUID workspaceId) {
        if (!byWorkspace.containsKey(workspaceId)) {
            return;
        }
        lookAt(byWorkspace.get(workspaceId));
        if (toLookAtAgain.add(workspaceId)) {
            vertx.setTimer(lookAgainAfter.toMillis(), later -> {
                toLookAtAgain.remove(workspaceId);
                lookAt(byWorkspace.getOrDefault(workspaceId, Set.of()));
            });
        }
    }

    private void lookAt(@Nullable Collection<T> some) {
        for (var one : some == null ? List.<T>of() : List.copyOf(some)) {
            var opened = watched.get(one);
            if (opened != null) {
                opened.again.get().onFailure(failure -> {
                    if (failure instanceof ApiError refused
                            && refused.kind().status() < INTERNAL
                            && stillWatches(one, opened)) {
                        opened.end.accept(refused);
                    }
                });
            }
        }
    }

    private boolean stillWatches(T one, Opened opened) {
        return watched.get(one) == opened;
    }
}
