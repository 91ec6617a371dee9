package ai.molecule.proxy.schedules;

import ai.molecule.common.bus.registry.ResolveRoute.Route;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.proxy.a2a.messages.Dispatch;
import ai.molecule.proxy.leases.LeaseRunner;
import ai.molecule.proxy.routes.RouteBook;
import io.vertx.core.Future;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Fires what is due of one schedule. While the registry does not answer it is let go of, and fired when that is back. */
final class ScheduleRun implements LeaseRunner.Worker<DueSchedule> {

    private final ScheduleStore store;
    private final RouteBook routes;
    private final Dispatch dispatch;
    private final Runnable queued;
    private boolean stopped;

    /** @param queued hears that there is a message to be taken to its agent */
    ScheduleRun(ScheduleStore store, RouteBook routes, Dispatch dispatch, Runnable queued) {
        this.store = store;
        this.routes = routes;
        this.dispatch = dispatch;
        this.queued = queued;
    }

    @Override
    public void stop() {
        stopped = true;
    }

    @Override
    public Future<Void> advance(DueSchedule due) {
        return routes.resolve(due.schedule().workspaceId(), null)
                .compose(route -> stopped ? Future.succeededFuture() : advance(due, route));
    }

    private Future<Void> advance(DueSchedule due, Route route) {
        if (!route.found()) {
            return store.forget(due.held()).mapEmpty();
        }
        if (route.status() == WorkspaceStatus.REMOVED) {
            return store.disable(due.held(), "workspace was removed").mapEmpty();
        }
        var schedule = due.schedule();
        var plan = TickPlan.of(
                schedule.id(),
                schedule.spec(),
                schedule.anchor(),
                Objects.requireNonNullElse(schedule.nextRunAt(), due.now()),
                due.now(),
                whyNot(route));
        return store.fire(due, plan).map(fired -> {
            fired.ifPresent(replaced ->
                    replaced.forEach(message -> dispatch.cancel(message.workspaceId(), message.messageId())));
            if (!plan.runs().isEmpty()) {
                queued.run();
            }
            return null;
        });
    }

    /** Why its workspace takes no runs now; null when it does. */
    static @Nullable String whyNot(Route route) {
        if (route.quarantined()) {
            return "workspace is quarantined";
        }
        if (route.budgetExceeded()) {
            return "workspace budget limit exceeded";
        }
        return route.status() == WorkspaceStatus.PAUSED ? "workspace is paused" : null;
    }
}
