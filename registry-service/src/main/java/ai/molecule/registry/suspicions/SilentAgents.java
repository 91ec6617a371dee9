package ai.molecule.registry.suspicions;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.provisioner.RestartSilent;
import ai.molecule.common.reconcilers.RunReport;
import ai.molecule.registry.freeze.Freeze;
import ai.molecule.registry.freeze.RestartFreeze;
import ai.molecule.registry.suspicions.PgSuspicionStore.Due;
import ai.molecule.registry.suspicions.Suspicion.Step;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out whether agents of ours that fell silent are dead, and has the provisioner replace those that are. Everything learned
 * is in the database, so whichever replica runs this goes on where the last one stopped. To be run every second by the replica
 * with the liveness claim, one run at a time.
 */
public final class SilentAgents {

    private static final Logger LOGGER = LoggerFactory.getLogger(SilentAgents.class);

    /** Probed at once; the others wait for the next run. */
    private static final int AT_ONCE_MAX = 100;

    private final PgSuspicionStore store;
    private final CardProbe probe;
    private final RestartFreeze freeze;
    private final Bus bus;
    private final Duration ttl;

    /** Since when, without interruption, somebody was heard; null while nobody is. */
    private @Nullable Instant heardSince;

    public SilentAgents(PgSuspicionStore store, CardProbe probe, RestartFreeze freeze, Bus bus, Duration ttl) {
        this.store = store;
        this.probe = probe;
        this.freeze = freeze;
        this.bus = bus;
        this.ttl = ttl;
    }

    /** Completes when those due have been looked at, with what was done and what a person should know of it. */
    public Future<RunReport.Outcome> run() {
        return store.forgetCleared()
                .compose(cleared -> store.due(ttl, AT_ONCE_MAX))
                .compose(this::lookAt);
    }

    private Future<RunReport.Outcome> lookAt(Due due) {
        boolean othersHeard = othersHeard(due);
        var looked = due.suspicions().isEmpty()
                ? Future.succeededFuture()
                : freeze.state().compose(state -> Future.join(looks(due, othersHeard, state)));
        return looked.map(done -> outcome(due, othersHeard));
    }

    /** After an outage everybody gets as long to be heard again as it takes to call somebody silent. */
    private boolean othersHeard(Due due) {
        if (!due.othersHeard()) {
            heardSince = null;
        } else if (heardSince == null) {
            heardSince = due.now();
        }
        return heardSince != null && !heardSince.plus(ttl).isAfter(due.now());
    }

    /** While restarts are frozen the one that may be tried is asked for, and the others stay due. */
    private List<Future<Void>> looks(Due due, boolean othersHeard, Freeze state) {
        int restarts = !state.frozen() ? Integer.MAX_VALUE : state.trialDue() ? 1 : 0;
        List<Future<Void>> looks = new ArrayList<>();
        for (var suspicion : due.suspicions()) {
            var step = suspicion.step(due.now(), othersHeard);
            if (step != Step.RESTART) {
                looks.add(lookAt(suspicion, step, due.now()));
            } else if (restarts-- > 0) {
                looks.add(restart(suspicion).compose(asked -> keep(suspicion, step, due.now())));
            }
        }
        return looks;
    }

    private Future<Void> lookAt(Suspicion suspicion, Step step, Instant now) {
        return step == Step.WAIT
                ? keep(suspicion, step, now)
                : probe.answers(suspicion.workspaceId(), suspicion.url())
                        .map(suspicion::probed)
                        .compose(probed -> keep(probed, step, now));
    }

    private Future<Void> keep(Suspicion suspicion, Step step, Instant now) {
        return store.keep(suspicion, suspicion.due(step, now, Suspicion.probeEvery(ttl)));
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

    private static RunReport.Outcome outcome(Due due, boolean othersHeard) {
        boolean well = othersHeard || due.suspicions().isEmpty();
        return new RunReport.Outcome(
                "looked at %d silent agents".formatted(due.suspicions().size()),
                well
                        ? null
                        : "nobody is heard, so silent agents that answer are left alone: can agents reach the platform?");
    }
}
