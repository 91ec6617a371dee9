package ai.molecule.registry.liveness;

import ai.molecule.common.reconcilers.RunReport;
import ai.molecule.registry.lifecycle.Announcements;
import ai.molecule.registry.liveness.PgLivenessStore.Limits;
import ai.molecule.registry.liveness.PgLivenessStore.Look;
import ai.molecule.registry.liveness.PgLivenessStore.Silenced;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes workspaces offline that have fallen silent. Idempotent and bounded per run; every replica runs it and one of them, the
 * one with the claim, works. To be run every second, which is also how a pause of the process or a jump of the clock is noticed,
 * and when poked; a run that is still going answers for the one asked for meanwhile. The clock is the database's, by which heartbeats
 * are written too: how far those of the replicas differ does not matter (docs/adr/0016).
 */
public final class LivenessSweep {

    private static final Logger LOGGER = LoggerFactory.getLogger(LivenessSweep.class);

    private static final int TAKEN_OFFLINE_MAX = 500;
    private static final int PULLED_BACK_MAX = 10_000;

    private final PgLivenessStore store;
    private final Announcements announcements;
    private final RunReport report;
    private final Duration ttl;
    private final Duration externalTtl;
    private final Watch watch;
    private @Nullable Future<Boolean> running;
    private long lossesSeen;

    public LivenessSweep(
            PgLivenessStore store, Announcements announcements, RunReport report, Duration ttl, Duration externalTtl) {
        this.store = store;
        this.announcements = announcements;
        this.report = report;
        this.ttl = ttl;
        this.externalTtl = externalTtl;
        this.watch = new Watch(ttl);
    }

    /**
     * Whether this replica has the claim and did its work. A failure is logged, and silence is observed anew from the database's
     * return.
     */
    public Future<Boolean> run() {
        var current = running;
        if (current != null && !current.isComplete()) {
            return current;
        }
        var next = store.claim().compose(this::look).recover(this::interrupted);
        running = next;
        return next;
    }

    /** Whether silence has been observed for as long as it takes to call somebody dead. */
    public boolean isWatchful() {
        return watch.covers(ttl);
    }

    public Future<Void> release() {
        return store.release();
    }

    /** On every replica and in every run: one that takes over later has long been watching. */
    private Future<Boolean> look(Look look) {
        noticeLosses();
        boolean anew = watch.look(look.at());
        if (!look.mine()) {
            report.stoodBy();
            return Future.succeededFuture(false);
        }
        return (anew ? store.pullBack(PULLED_BACK_MAX) : sweep(look)).map(true);
    }

    private void noticeLosses() {
        if (store.losses() != lossesSeen) {
            lossesSeen = store.losses();
            watch.interrupt();
        }
    }

    private Future<Void> sweep(Look look) {
        var limits = new Limits(limit(ttl), limit(externalTtl));
        if (limits.own() == null && limits.external() == null) {
            report.done("took nobody offline", "silence is being observed anew, so nobody counts as dead for now");
            return Future.succeededFuture();
        }
        return store.takeOffline(limits, look, TAKEN_OFFLINE_MAX).map(this::announce);
    }

    private @Nullable Duration limit(Duration silence) {
        return watch.covers(silence) ? silence : null;
    }

    private @Nullable Void announce(List<Silenced> silenced) {
        announcements.changed(silenced.stream().map(Silenced::changed).toList());
        announcements.wanted(silenced.stream()
                .filter(Silenced::provisioned)
                .map(Silenced::workspaceId)
                .toList());
        silenced.forEach(one ->
                LOGGER.atInfo().addKeyValue("workspaceId", one.workspaceId()).log("workspace fell silent"));
        report.done("took %d workspaces offline".formatted(silenced.size()));
        return null;
    }

    private Future<Boolean> interrupted(Throwable failure) {
        LOGGER.atWarn().setCause(failure).log("liveness sweep failed");
        report.failed(failure);
        watch.interrupt();
        return Future.succeededFuture(false);
    }
}
