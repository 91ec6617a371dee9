package ai.molecule.events.hub;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Caller;
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
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Ends a subscriber, socket or stream, when the bearer that opened it, or asked for its ticket, would not open it any more. Looked at
 * when the workspace or its tokens change (all when an org token was revoked), once more when no replica can still remember
 * an older verdict, and at every interval in case those hints were lost. To be used on one event loop.
 */
public final class TokenWatch {

    /** Longer than the verdict is remembered by the registry and here, one after the other. */
    private static final Duration REMEMBERED_MAX = Duration.ofSeconds(5);

    private static final int INTERNAL = ApiError.Kind.INTERNAL.status();

    /** @param workspaceId null for a canvas */
    private record Opened(@Nullable UUID workspaceId, Supplier<Future<Caller>> again) {}

    private final Vertx vertx;
    private final Duration lookAgainAfter;
    private final Map<Subscriber, Opened> subscribers = new HashMap<>();
    private final Map<UUID, Set<Subscriber>> byWorkspace = new HashMap<>();
    private final Set<UUID> toLookAtAgain = new HashSet<>();

    public TokenWatch(Vertx vertx, Bus bus, Duration every) {
        this(vertx, bus, every, REMEMBERED_MAX);
    }

    TokenWatch(Vertx vertx, Bus bus, Duration every, Duration lookAgainAfter) {
        this.vertx = vertx;
        this.lookAgainAfter = lookAgainAfter;
        bus.listen(WorkspaceChanged.HINT, changed -> changed(changed.workspaceId()));
        bus.listen(TokensChanged.HINT, changed -> {
            if (changed.workspaceId() == null) {
                lookAt(subscribers.keySet());
                vertx.setTimer(lookAgainAfter.toMillis(), later -> lookAt(subscribers.keySet()));
            } else {
                changed(changed.workspaceId());
            }
        });
        vertx.setPeriodic(every.toMillis(), timer -> lookAt(subscribers.keySet()));
    }

    /**
     * Watches the subscriber until {@link #forget}.
     *
     * @param workspaceId whose tokens matter; null for a canvas
     * @param again fails with FORBIDDEN while the subscriber's workspace is paused, with another refusal when it would not be let in any
     * more
     */
    public void watch(Subscriber subscriber, @Nullable UUID workspaceId, Supplier<Future<Caller>> again) {
        subscribers.put(subscriber, new Opened(workspaceId, again));
        if (workspaceId != null) {
            byWorkspace.computeIfAbsent(workspaceId, id -> new HashSet<>()).add(subscriber);
        }
    }

    public void forget(Subscriber subscriber) {
        var opened = subscribers.remove(subscriber);
        if (opened != null && opened.workspaceId != null) {
            byWorkspace.computeIfPresent(opened.workspaceId, (id, some) -> {
                some.remove(subscriber);
                return some.isEmpty() ? null : some;
            });
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

    private void lookAt(@Nullable Collection<Subscriber> some) {
        for (var subscriber : some == null ? List.<Subscriber>of() : List.copyOf(some)) {
            var opened = subscribers.get(subscriber);
            if (opened != null) {
                opened.again.get().onFailure(failure -> end(subscriber, failure));
            }
        }
    }

    /**
     * Whatever the refusal: whose role was taken away is told that there is no such workspace. A registry that does not answer has revoked
     * nothing.
     */
    private static void end(Subscriber subscriber, Throwable failure) {
        if (failure instanceof ApiError refused && refused.kind().status() < INTERNAL) {
            subscriber.close(refused.kind() == ApiError.Kind.FORBIDDEN ? CloseReason.PAUSED : CloseReason.REVOKED);
        }
    }
}
