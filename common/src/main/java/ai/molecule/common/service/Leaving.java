package ai.molecule.common.service;

import io.vertx.core.Vertx;
import io.vertx.core.shareddata.Shareable;

/**
 * Whether this process was told to end: one answer for everything in it. It then says that it is not ready, and with every
 * answer that the connection will close, so that whoever routes to it turns to another replica before it stops serving.
 */
public final class Leaving implements Shareable {

    private static final String NAME = "molecule.leaving";

    private volatile boolean begun;

    private Leaving() {}

    public static Leaving of(Vertx vertx) {
        return vertx.sharedData().<String, Leaving>getLocalMap(NAME).computeIfAbsent(NAME, first -> new Leaving());
    }

    public void begin() {
        begun = true;
    }

    public boolean hasBegun() {
        return begun;
    }
}
