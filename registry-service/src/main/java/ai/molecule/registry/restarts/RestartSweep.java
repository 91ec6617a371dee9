package ai.molecule.registry.restarts;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.registry.RestartSoon;
import ai.molecule.common.bus.registry.SetDesired;
import ai.molecule.common.loops.InTurn;
import ai.molecule.registry.lifecycle.LifecycleService;
import io.vertx.core.Future;
import java.time.Clock;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out the restarts that are due, one after the other and at most 23 per run. Idempotent; any replica may run it at any
 * time.
 */
public record RestartSweep(PgRestartStore store, LifecycleService lifecycle, Clock clock) {

    private static final Logger LOGGER = LoggerFactory.getLogger(RestartSweep.class);

    public Future<RestartSoon.Asked> ask(RestartSoon request) {
        return store.ask(request.workspaceId(), clock.instant()).map(RestartSoon.Asked::new);
    }

    /** How many requests were looked at. */
    public Future<Integer> run() {
        return store.take(clock.instant()).compose(this::carryOut);
    }

    private Future<Integer> carryOut(List<RestartRequest> requests) {
        return InTurn.each(requests, this::carryOutOne).map(List::size);
    }

    /** A fan-out's request stays until its agent is up again: it holds one of the three places. */
    private Future<Void> carryOutOne(RestartRequest request) {
        var wish = new SetDesired(request.workspaceId(), SetDesired.Action.RESTART, null, request.incarnation());
        return lifecycle
                .setDesired(wish)
                .map(done -> !done.changed().isEmpty())
                .onSuccess(restarted -> log(request, restarted))
                .compose(restarted ->
                        restarted && request.fanOut() ? Future.<Void>succeededFuture() : store.forget(request))
                .recover(failure -> refused(request, failure));
    }

    /** Below a paused workspace, or gone: its next start learns what is new. Anything else is tried again. */
    private Future<Void> refused(RestartRequest request, Throwable failure) {
        boolean pointless = failure instanceof ApiError error
                && (error.kind() == ApiError.Kind.CONFLICT || error.kind() == ApiError.Kind.NOT_FOUND);
        LOGGER.atWarn()
                .addKeyValue("workspaceId", request.workspaceId())
                .addKeyValue("reason", failure.toString())
                .log("workspace is not restarted for what changed");
        return (pointless ? store.forget(request) : Future.<Void>succeededFuture()).otherwiseEmpty();
    }

    private static void log(RestartRequest request, boolean restarted) {
        if (restarted) {
            LOGGER.atInfo()
                    .addKeyValue("workspaceId", request.workspaceId())
                    .log("workspace restarts for what changed");
        }
    }
}
