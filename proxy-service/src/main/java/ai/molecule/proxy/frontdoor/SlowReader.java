package ai.molecule.proxy.frontdoor;

import io.vertx.core.Vertx;
import java.time.Duration;

/** Lets go of a client that takes nothing of what waits for it. To be used on one event loop. */
public final class SlowReader {

    /** As long as a reader of an agent's stream has. */
    public static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final long NONE = -1;

    private final Vertx vertx;
    private final Duration patience;
    private final Runnable letGo;
    private long timer = NONE;

    public SlowReader(Vertx vertx, Duration patience, Runnable letGo) {
        this.vertx = vertx;
        this.patience = patience;
        this.letGo = letGo;
    }

    /** Something waits for the client. */
    public void waits() {
        if (timer == NONE) {
            timer = vertx.setTimer(patience.toMillis(), late -> letGo.run());
        }
    }

    /** It took something, or is gone. */
    public void reads() {
        if (timer != NONE) {
            vertx.cancelTimer(timer);
            timer = NONE;
        }
    }
}
