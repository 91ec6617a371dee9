package ai.molecule.registry.liveness;

import ai.molecule.common.loops.Loop;
import ai.molecule.common.reconcilers.Reconcilers;
import ai.molecule.common.reconcilers.RunReport;
import ai.molecule.registry.freeze.RestartFreeze;
import ai.molecule.registry.suspicions.SilentAgents;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A look at who lives, every second and when poked, on every replica; the one with the claim works: the silent go offline, then those of
 * ours among them are asked, and many deaths at once freeze restarts. The sweep waits for neither of these two.
 */
public final class LifeRounds {

    /** Longer than any statement may take, and any probe. Pokes come in swarms when many die. */
    private static final Loop.Times TIMES =
            new Loop.Times(Duration.ofSeconds(1), Duration.ofMillis(100), Duration.ofSeconds(12));

    /** A claim that cannot be given up ends by itself. */
    private static final Duration RELEASE_MAX = Duration.ofSeconds(2);

    private final LivenessSweep sweep;
    private final RunReport asked;
    private final RunReport frozen;
    private final Loop sweeping;
    private final Loop asking;
    private final Loop freezing;

    public LifeRounds(
            Vertx vertx, Reconcilers reconcilers, LivenessSweep sweep, SilentAgents silent, RestartFreeze freeze) {
        this.sweep = sweep;
        this.asked = reconcilers.add(
                "silent-agents", "asks agents of ours that fell silent, and has the dead ones replaced");
        this.frozen = reconcilers.add("restart-freeze", "freezes automatic restarts when many die at once");
        var swept = reconcilers.add("liveness-sweep", "takes workspaces offline that fell silent");
        this.asking = new Loop(vertx, asked, "PostgreSQL or agents", TIMES, silent::run);
        this.freezing = new Loop(vertx, frozen, "PostgreSQL or the engine", TIMES, freeze::run);
        this.sweeping =
                new Loop(vertx, swept, "PostgreSQL", TIMES, () -> sweep.run().onSuccess(this::goOn));
    }

    /** From now on, on the calling context. */
    public void start() {
        sweeping.start();
    }

    public void poke() {
        sweeping.poke();
    }

    /** No further rounds; another replica may work at once. */
    public Future<Void> stop() {
        return Future.join(sweeping.stop(), asking.stop(), freezing.stop())
                .timeout(RELEASE_MAX.toMillis(), TimeUnit.MILLISECONDS)
                .otherwiseEmpty()
                .compose(over -> sweep.release().timeout(RELEASE_MAX.toMillis(), TimeUnit.MILLISECONDS))
                .otherwiseEmpty();
    }

    private void goOn(Object swept) {
        if (swept == RunReport.StoodBy.STOOD_BY) {
            asked.stoodBy();
            frozen.stoodBy();
            return;
        }
        freezing.poke();
        if (sweep.isWatchful()) {
            asking.poke();
        }
    }
}
