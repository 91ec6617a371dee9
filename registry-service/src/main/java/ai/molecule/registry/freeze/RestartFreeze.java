package ai.molecule.registry.freeze;

import ai.molecule.common.ApiError;
import ai.molecule.common.reconcilers.RunReport;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Freezes automatic restarts when many workspaces die at once, until the engine was seen well and an agent was heard. A person's
 * restart is never frozen. To be run every second by the replica with the liveness claim; every replica asks {@link #isFrozen}.
 *
 * @param health whether the engine is well; may fail, which counts as no
 */
public record RestartFreeze(PgFreezeStore store, Supplier<Future<Boolean>> health) {

    private static final Logger LOGGER = LoggerFactory.getLogger(RestartFreeze.class);

    private static final Duration DEATHS_KEPT = Duration.ofMinutes(15);

    /** Also from the first of many deaths on, before the run that writes the freeze down. */
    public Future<Freeze> state() {
        return store.find();
    }

    /** Fails with UNAVAILABLE while automatic restarts are frozen, but for one a minute: whoever asked asks again later. */
    public Future<Void> refuseWhileFrozen() {
        return state().compose(
                        freeze -> freeze.frozen() ? store.tryOne().map(tried -> !tried) : Future.succeededFuture(false))
                .compose(refused -> refused
                        ? Future.failedFuture(
                                ApiError.unavailable("automatic restarts are frozen after many deaths at once"))
                        : Future.succeededFuture());
    }

    /** What it did, and what a person should know of it. */
    public Future<RunReport.Outcome> run() {
        return store.find().compose(this::act);
    }

    private Future<RunReport.Outcome> act(Freeze freeze) {
        return switch (freeze.step()) {
            case NOTHING ->
                store.forgetDeaths(DEATHS_KEPT)
                        .map(new RunReport.Outcome("found %d deaths within a minute".formatted(freeze.died()), null));
            case FREEZE ->
                store.freeze(freeze.died()).map(first -> {
                    LOGGER.atWarn()
                            .addKeyValue("deaths", freeze.died())
                            .addKeyValue("live", freeze.live())
                            .log("many workspaces died at once, automatic restarts are frozen");
                    return new RunReport.Outcome(
                            "froze automatic restarts",
                            "automatic restarts are frozen: %d died within a minute".formatted(freeze.died()),
                            false);
                });
            case CHECK_HEALTH ->
                health.get()
                        .otherwise(false)
                        .compose(well -> store.seen(well)
                                .map(new RunReport.Outcome(
                                        "looked whether the platform is well",
                                        "automatic restarts are frozen since %s; the engine is %s, and %s"
                                                .formatted(
                                                        freeze.since(),
                                                        well ? "well" : "not well",
                                                        freeze.heard()
                                                                ? "agents are heard"
                                                                : "no agent was heard since"),
                                        false)));
            case THAW ->
                store.thaw().map(done -> {
                    LOGGER.atWarn()
                            .addKeyValue("since", freeze.since())
                            .log("the engine is well and agents are heard, automatic restarts go on");
                    return new RunReport.Outcome("ended the freeze of automatic restarts", null);
                });
        };
    }
}
