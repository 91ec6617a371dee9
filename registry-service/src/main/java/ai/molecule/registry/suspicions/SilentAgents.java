package ai.molecule.registry.suspicions;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.provisioner.RestartSilent;
import ai.molecule.common.reconcilers.RunReport;
import ai.molecule.registry.freeze.RestartFreeze;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out whether agents of ours that fell silent are dead, and has the provisioner replace those that are. Everything learned
 * is in the database, so whichever replica runs this goes on where the last one stopped. To be run every second by the replica
 * with the liveness claim; a run that is still going answers for the next.
 */
public final class SilentAgents {

    private static final Logger LOGGER = LoggerFactory.getLogger(SilentAgents.class);

    /** Probed at once; the others wait for the next run. */
    private static final int AT_ONCE_MAX = 100;

    private final SuspicionStore store;
    private final Probe probe;
    private final RestartFreeze freeze;
    private final Bus bus;
    private final RunReport report;
    private final Clock clock;
    private final Duration probeEvery;
    private @Nullable Future<Void> running;

    public SilentAgents(
            SuspicionStore store,
            Probe probe,
            RestartFreeze freeze,
            Bus bus,
            RunReport report,
            Clock clock,
            Duration ttl) {
        this.store = store;
        this.probe = probe;
        this.freeze = freeze;
        this.bus = bus;
        this.report = report;
        this.clock = clock;
        this.probeEvery = Suspicion.probeEvery(ttl);
    }

    /** Completes when those due have been looked at. A failure is logged; the next run tries again. */
    public Future<Void> run() {
        var current = running;
        if (current != null && !current.isComplete()) {
            return current;
        }
        var next = store.forgetCleared()
                .compose(cleared -> store.due(clock.instant(), AT_ONCE_MAX))
                .compose(this::lookAt)
                .recover(this::interrupted);
        running = next;
        return next;
    }

    private Future<Void> lookAt(List<Suspicion> due) {
        return due.isEmpty()
                ? done(due)
                : freeze.isFrozen()
                        .compose(frozen -> Future.join(due.stream()
                                .map(suspicion -> lookAt(suspicion, frozen))
                                .toList()))
                        .compose(looked -> done(due));
    }

    private Future<Void> lookAt(Suspicion suspicion, boolean frozen) {
        var now = clock.instant();
        var step = suspicion.step(now);
        return switch (step) {
            case WAIT -> store.keep(suspicion, suspicion.due(step, now, probeEvery));
            case RESTART ->
                frozen
                        ? Future.succeededFuture() // it stays due
                        : restart(suspicion)
                                .compose(asked -> store.keep(suspicion, suspicion.due(step, now, probeEvery)));
            case PROBE ->
                probe.answers(suspicion.workspaceId(), suspicion.url())
                        .map(suspicion::probed)
                        .compose(probed -> store.keep(probed, probed.due(step, now, probeEvery)));
        };
    }

    /** Whether it happened is seen by the incarnation; if not, it is asked for again. */
    private Future<Void> restart(Suspicion suspicion) {
        LOGGER.atWarn()
                .addKeyValue("workspaceId", suspicion.workspaceId())
                .addKeyValue("unanswered", suspicion.unanswered())
                .addKeyValue("lastHeardAt", suspicion.lastHeardAt())
                .log("silent agent is to be replaced");
        var request = new RestartSilent(suspicion.workspaceId(), suspicion.incarnation());
        return bus.call(RestartSilent.CONTRACT, request).<Void>mapEmpty().otherwiseEmpty();
    }

    private Future<Void> done(List<Suspicion> due) {
        report.done("looked at %d silent agents".formatted(due.size()));
        return Future.succeededFuture();
    }

    /** Another replica works. */
    public void standBy() {
        report.stoodBy();
    }

    private Future<Void> interrupted(Throwable failure) {
        LOGGER.atWarn().setCause(failure).log("silent agents could not be looked at");
        report.failed(failure);
        return Future.succeededFuture();
    }
}
