package ai.molecule.registry.liveness;

import ai.molecule.common.reconcilers.RunReport;
import ai.molecule.registry.lifecycle.Announcements;
import ai.molecule.registry.liveness.LivenessStore.Cutoffs;
import ai.molecule.registry.liveness.LivenessStore.Silenced;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes workspaces offline that have fallen silent. Idempotent and bounded per run; every replica runs it and one of them, the
 * one with the claim, works. To be run every second, which is also how a pause of the process or a jump of the clock is noticed,
 * and when poked; a run that is still going answers for the one asked for meanwhile.
 */
public final class LivenessSweep {

    private static final Logger LOGGER = LoggerFactory.getLogger(LivenessSweep.class);

    private static final int TAKEN_OFFLINE_MAX = 500;

    /** Replicas' clocks may differ by this much; a heartbeat from further ahead comes from a clock that was set back since. */
    private static final Duration CLOCKS_DIFFER_MAX = Duration.ofSeconds(5);

    private final LivenessStore store;
    private final Announcements announcements;
    private final BooleanSupplier redisHealthy;
    private final RunReport report;
    private final Clock clock;
    private final Duration ttl;
    private final Duration externalTtl;
    private final Watch watch;
    private @Nullable Future<Boolean> running;
    private long lossesSeen;
    private boolean redisWasHealthy = true;

    public LivenessSweep(
            LivenessStore store,
            Announcements announcements,
            BooleanSupplier redisHealthy,
            RunReport report,
            Clock clock,
            Duration ttl,
            Duration externalTtl) {
        this.store = store;
        this.announcements = announcements;
        this.redisHealthy = redisHealthy;
        this.report = report;
        this.clock = clock;
        this.ttl = ttl;
        this.externalTtl = externalTtl;
        this.watch = new Watch(clock.instant(), ttl);
    }

    /**
     * Whether this replica has the claim and did its work. A failure is logged, and silence is observed anew from the database's
     * return.
     */
    public Future<Boolean> run() {
        look();
        var current = running;
        if (current != null && !current.isComplete()) {
            return current;
        }
        var next = store.claim()
                .compose(mine -> mine ? sweep().map(true) : standBy())
                .recover(this::interrupted);
        running = next;
        return next;
    }

    /** Whether silence has been observed for as long as it takes to call somebody dead. */
    public boolean isWatchful() {
        return watch.covers(ttl, clock.instant());
    }

    public Future<Void> release() {
        return store.release();
    }

    private void look() {
        var now = clock.instant();
        watch.look(now);
        noticeLosses(now);
        boolean healthy = redisHealthy.getAsBoolean();
        if (healthy && !redisWasHealthy) {
            watch.restart(now);
        }
        redisWasHealthy = healthy;
    }

    /** On every replica and in every run: one that takes over later has long been watching again. */
    private void noticeLosses(Instant now) {
        if (store.losses() != lossesSeen) {
            lossesSeen = store.losses();
            watch.restart(now);
        }
    }

    private Future<Boolean> standBy() {
        report.stoodBy();
        return Future.succeededFuture(false);
    }

    private Future<Void> sweep() {
        var now = clock.instant();
        noticeLosses(now);
        var cutoffs = new Cutoffs(cutoff(ttl, now), cutoff(externalTtl, now));
        if (cutoffs.own() == null && cutoffs.external() == null) {
            report.done("took nobody offline", "silence is being observed anew, so nobody counts as dead for now");
            return Future.succeededFuture();
        }
        return store.takeOffline(cutoffs, now.plus(CLOCKS_DIFFER_MAX), TAKEN_OFFLINE_MAX, now)
                .map(this::announce);
    }

    private @Nullable Instant cutoff(Duration limit, Instant now) {
        return watch.covers(limit, now) ? now.minus(limit) : null;
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
        watch.restart(clock.instant());
        return Future.succeededFuture(false);
    }
}
