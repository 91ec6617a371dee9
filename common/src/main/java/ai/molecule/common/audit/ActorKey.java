package ai.molecule.common.audit;

import io.vertx.core.internal.VertxBootstrap;
import io.vertx.core.spi.VertxServiceProvider;

/** Vert.x asks each of these before it builds itself: contexts have room only for keys that there are by then. */
public final class ActorKey implements VertxServiceProvider {

    @Override
    public void init(VertxBootstrap bootstrap) {
        Actor.current();
    }
}
