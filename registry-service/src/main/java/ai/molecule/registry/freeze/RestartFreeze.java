package ai.molecule.registry.freeze;

import ai.molecule.common.ApiError;
import ai.molecule.common.reconcilers.RunReport;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Freezes automatic restarts when many workspaces die at once, until the engine and the stores were seen well. A person's restart
 * is never frozen. To be run every second by the replica with the liveness claim; every replica asks {@link #isFrozen}.
 */
public final class RestartFreeze {

    private static final Logger LOGGER = LoggerFactory.getLogger(RestartFreeze.class);

    private static final Duration DEATHS_KEPT = Duration.ofMinutes(15);

    private final FreezeStore store;
    private final Supplier<Future<Boolean>> health;
    private final RunReport report;
    private final Clock clock;
    private @Nullable Future<Void> running;

    /** @param health whether the engine and the stores besides the database are well; may fail, which counts as no */
    public RestartFreeze(FreezeStore store, Supplier<Future<Boolean>> health, RunReport report, Clock clock) {
        this.store = store;
        this.health = health;
        this.report = report;
        this.clock = clock;
    }

    /** Also from the first of many deaths on, before the run that writes the freeze down. */
    public Future<Boolean> isFrozen() {
        return store.find(clock.instant()).map(Freeze::frozen);
    }

    /** Fails with UNAVAILABLE while automatic restarts are frozen: whoever asked asks again later. */
    public Future<Void> refuseWhileFrozen() {
        return isFrozen()
                .compose(frozen -> frozen
                        ? Future.failedFuture(
                                ApiError.unavailable("automatic restarts are frozen after many deaths at once"))
                        : Future.succeededFuture());
    }

    /** A failure is logged; the next run tries again. */
    public Future<Void> run() {
        var current = running;
        if (current != null && !current.isComplete()) {
            return current;
        }
        var next = store.find(clock.instant()).compose(this::act).recover(this::interrupted);
        running = next;
        return next;
    }

    private Future<Void> act(Freeze freeze) {
        var now = clock.instant();
        return switch (freeze.step(now)) {
            case NOTHING ->
                store.forgetDeaths(now.minus(DEATHS_KEPT))
                        .onSuccess(done -> report.done("found %d deaths within a minute".formatted(freeze.died())));
            case FREEZE ->
                store.freeze(freeze.died(), now).map(first -> {
                    LOGGER.atWarn()
                            .addKeyValue("deaths", freeze.died())
                            .addKeyValue("live", freeze.live())
                            .log("many workspaces died at once, automatic restarts are frozen");
                    report.done(
                            "froze automatic restarts",
                            "automatic restarts are frozen: %d died within a minute".formatted(freeze.died()));
                    return null;
                });
            case CHECK_HEALTH ->
                health.get().otherwise(false).compose(well -> {
                    report.done(
                            "looked whether the platform is well",
                            "automatic restarts are frozen since %s; engine and stores are %s"
                                    .formatted(freeze.since(), well ? "well" : "not well"));
                    return store.seen(well, now);
                });
            case THAW ->
                store.thaw(now).onSuccess(done -> {
                    LOGGER.atWarn()
                            .addKeyValue("since", freeze.since())
                            .log("engine and stores are well, automatic restarts go on");
                    report.done("ended the freeze of automatic restarts");
                });
        };
    }

    /** Another replica works. */
    public void standBy() {
        report.stoodBy();
    }

    private Future<Void> interrupted(Throwable failure) {
        LOGGER.atWarn().setCause(failure).log("deaths could not be counted");
        report.failed(failure);
        return Future.succeededFuture();
    }
}
