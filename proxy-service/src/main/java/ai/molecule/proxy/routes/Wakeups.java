package ai.molecule.proxy.routes;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.hints.WorkspaceChanged;
import ai.molecule.common.bus.registry.ResolveRoute.Route;
import ai.molecule.common.bus.registry.WakeWorkspace;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * Has agents that sleep woken by what is meant for them, and lets that wait. However many wait for one agent it is woken once; whoever
 * waited long enough is told to come again, and the agent gets up all the same. How fast they get up is the provisioner's affair, which
 * starts so many at once as its backend can. Somebody asleep for whom nothing comes costs nothing here. To be used on one event loop.
 */
public final class Wakeups {

    /** Agents on their way up for somebody here, and how many wait for them. Beyond, a quick no. */
    private static final int AGENTS_MAX = 5_000;

    private static final int WAITING_MAX = 20_000;

    /** Between looks where no hint comes. */
    private static final Duration LOOK = Duration.ofMillis(500);

    private static final int RETRY_AFTER_SECONDS = 15;

    private final Vertx vertx;
    private final Bus bus;
    private final RouteBook routes;
    private final Map<UUID, Waking> waking = new HashMap<>();
    private int waiting;

    public Wakeups(Vertx vertx, Bus bus, RouteBook routes) {
        this.vertx = vertx;
        this.bus = bus;
        this.routes = routes;
        bus.listen(WorkspaceChanged.HINT, hint -> {
            var one = waking.get(hint.workspaceId());
            if (one != null) {
                one.look();
            }
        });
    }

    /** As {@link RouteBook#resolve} for nobody's access, of an agent that is up. */
    public Future<Route> reach(UUID target, Duration longest) {
        return routes.resolve(target, null).compose(route -> awake(target, route, longest));
    }

    /**
     * The route itself of somebody who does not sleep.
     *
     * @return where it is once it is up; fails with UNAVAILABLE after {@code longest}, and with what keeps it from getting up
     */
    public Future<Route> awake(UUID target, Route route, Duration longest) {
        if (!route.isAsleep() || route.quarantined()) {
            return Future.succeededFuture(route);
        }
        if (waiting >= WAITING_MAX || (waking.size() >= AGENTS_MAX && !waking.containsKey(target))) {
            return Future.failedFuture(new ApiError(
                    ApiError.Kind.UNAVAILABLE, "too many agents wake up at once — retry shortly", comeAgain()));
        }
        var one = waking.get(target);
        if (one != null) {
            return one.join(longest);
        }
        one = new Waking(target);
        waking.put(target, one);
        var woken = one.join(longest);
        one.look();
        return woken;
    }

    /** How many agents somebody here waits for. */
    public int size() {
        return waking.size();
    }

    /** In the order in which clients know it. */
    private static Map<String, Object> comeAgain() {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("waking", true);
        details.put("retry_after", RETRY_AFTER_SECONDS);
        return details;
    }

    private static ApiError stillAsleep() {
        return new ApiError(
                ApiError.Kind.UNAVAILABLE, "workspace is waking from hibernation — retry in ~15 seconds", comeAgain());
    }

    private static ApiError notUp(Route route) {
        return new ApiError(
                ApiError.Kind.UNAVAILABLE,
                "workspace did not wake up",
                Map.of("status", route.status().wire()));
    }

    /** One agent on its way up; gone from the map when it is up, cannot get up, or nobody waits any more. */
    private final class Waking {

        private final UUID target;
        private final Set<Promise<Route>> callers = new LinkedHashSet<>();
        private boolean over;
        private boolean looking;
        private boolean again;
        private long timer = -1;

        Waking(UUID target) {
            this.target = target;
        }

        Future<Route> join(Duration longest) {
            Promise<Route> caller = Promise.promise();
            callers.add(caller);
            waiting++;
            long late = vertx.setTimer(Math.max(1, longest.toMillis()), out -> caller.tryFail(stillAsleep()));
            return caller.future().onComplete(done -> {
                vertx.cancelTimer(late);
                callers.remove(caller);
                waiting--;
                if (callers.isEmpty()) {
                    end();
                }
            });
        }

        void look() {
            if (over) {
                return;
            }
            if (looking) {
                again = true;
                return;
            }
            looking = true;
            again = false;
            vertx.cancelTimer(timer);
            routes.drop(target);
            routes.resolve(target, null).compose(this::step).onComplete(looked -> {
                looking = false;
                if (looked.failed() && !isOutage(looked.cause())) {
                    tell(caller -> caller.tryFail(looked.cause()));
                } else if (again) {
                    look();
                } else if (!over) {
                    timer = vertx.setTimer(LOOK.toMillis(), due -> look());
                }
            });
        }

        private void tell(Consumer<Promise<Route>> what) {
            end();
            List.copyOf(callers).forEach(what);
        }

        private Future<Void> step(Route route) {
            if (!route.found() || route.quarantined()) {
                return Future.failedFuture(notUp(route));
            }
            return switch (route.status()) {
                case HIBERNATED ->
                    bus.call(WakeWorkspace.CONTRACT, new WakeWorkspace(target)).mapEmpty();
                case ONLINE, DEGRADED -> {
                    if (route.hasAddress()) {
                        tell(caller -> caller.tryComplete(route));
                    }
                    yield Future.succeededFuture();
                }
                case PROVISIONING, OFFLINE -> Future.succeededFuture();
                case PAUSED, FAILED, REMOVED, AWAITING_AGENT -> Future.failedFuture(notUp(route));
            };
        }

        private void end() {
            over = true;
            vertx.cancelTimer(timer);
            waking.remove(target, this);
        }

        private static boolean isOutage(Throwable failure) {
            return !(failure instanceof ApiError error)
                    || (error.kind() == ApiError.Kind.UNAVAILABLE
                            && !error.details().containsKey("status"))
                    || error.kind() == ApiError.Kind.INTERNAL
                    || error.kind() == ApiError.Kind.TIMED_OUT;
        }
    }
}
