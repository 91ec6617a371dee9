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
 * and when poked, one run at a time. The clock is the database's, by which heartbeats
 * are written too: how far those of the replicas differ does not matter (docs/adr/0016).
 */
public final class LivenessSweep {

    private static final Logger LOGGER = LoggerFactory.getLogger(LivenessSweep.class);

    private static final int TAKEN_OFFLINE_MAX = 500;
    private static final int PULLED_BACK_MAX = 10_000;

    private static final RunReport.Outcome ANEW = new RunReport.Outcome(
            "took nobody offline", "silence is being observed anew, so nobody counts as dead for now");

    private final PgLivenessStore store;
    private final Announcements announcements;
    private final Duration ttl;
    private final Duration externalTtl;
    private final Watch watch;
    private long lossesSeen;

    public LivenessSweep(PgLivenessStore store, Announcements announcements, Duration ttl, Duration externalTtl) {
        this.store = store;
        this.announcements = announcements;
        this.ttl = ttl;
        this.externalTtl = externalTtl;
        this.watch = new Watch(ttl);
    }

    /**
     * What it did, or {@link RunReport.StoodBy} where another replica has the claim. After a failure silence is observed anew from the
     * database's return.
     */
    public Future<Object> run() {
        return store.claim().compose(this::look).onFailure(failure -> watch.interrupt());
    }

    /** Whether silence has been observed for as long as it takes to call somebody dead. */
    public boolean isWatchful() {
        return watch.covers(ttl);
    }

    public Future<Void> release() {
        return store.release();
    }

    /** On every replica and in every run: one that takes over later has long been watching. */
    private Future<Object> look(Look look) {
        noticeLosses();
        boolean anew = watch.look(look.at());
        if (!look.mine()) {
            return Future.succeededFuture(RunReport.StoodBy.STOOD_BY);
        }
        return anew ? store.pullBack(PULLED_BACK_MAX).map(ANEW) : sweep(look);
    }

    private void noticeLosses() {
        if (store.losses() != lossesSeen) {
            lossesSeen = store.losses();
            watch.interrupt();
        }
    }

    private Future<Object> sweep(Look look) {
        var limits = new Limits(limit(ttl), limit(externalTtl));
        if (limits.own() == null && limits.external() == null) {
            return Future.succeededFuture(ANEW);
        }
        return store.takeOffline(limits, look, TAKEN_OFFLINE_MAX).map(this::announce);
    }

    private @Nullable Duration limit(Duration silence) {
        return watch.covers(silence) ? silence : null;
    }

    private String announce(List<Silenced> silenced) {
        announcements.changed(silenced.stream().map(Silenced::changed).toList());
        announcements.wanted(silenced.stream()
                .filter(Silenced::provisioned)
                .map(Silenced::workspaceId)
                .toList());
        silenced.forEach(one ->
                LOGGER.atInfo().addKeyValue("workspaceId", one.workspaceId()).log("workspace fell silent"));
        return "took %d workspaces offline".formatted(silenced.size());
    }
}
