package ai.molecule.registry.liveness;

import ai.molecule.registry.freeze.RestartFreeze;
import ai.molecule.registry.suspicions.SilentAgents;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * One look at who lives: the silent go offline, those of ours among them are asked, and many deaths at once freeze restarts. To
 * be run every second and when poked, on every replica; the one with the claim works.
 */
public final class LifeRounds {

    /** A claim that cannot be given up ends by itself. */
    private static final Duration RELEASE_MAX = Duration.ofSeconds(2);

    private final LivenessSweep sweep;
    private final SilentAgents silent;
    private final RestartFreeze freeze;
    private boolean stopped;

    public LifeRounds(LivenessSweep sweep, SilentAgents silent, RestartFreeze freeze) {
        this.sweep = sweep;
        this.silent = silent;
        this.freeze = freeze;
    }

    /** No further rounds; another replica may work at once. */
    public Future<Void> stop() {
        stopped = true;
        return sweep.release()
                .timeout(RELEASE_MAX.toMillis(), TimeUnit.MILLISECONDS)
                .otherwiseEmpty();
    }

    /** Never waits for probes: the next sweep is due in a second. */
    public void run() {
        if (stopped) {
            return;
        }
        sweep.run().onSuccess(worked -> {
            if (!worked) {
                freeze.standBy();
                silent.standBy();
                return;
            }
            freeze.run();
            if (sweep.isWatchful()) {
                silent.run();
            }
        });
    }
}
