package ai.molecule.registry.canvas;

import io.vertx.core.Future;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The viewport, one for all. */
public final class ViewportService {

    private static final Logger LOGGER = LoggerFactory.getLogger(ViewportService.class);

    private final ViewportStore store;

    public ViewportService(ViewportStore store) {
        this.store = store;
    }

    /** The default while none is saved, and when it cannot be read: a canvas opens with what it has. */
    Future<Viewport> get() {
        return store.find().map(found -> found.orElse(Viewport.DEFAULT)).recover(failure -> {
            LOGGER.atWarn().setCause(failure).log("viewport not read");
            return Future.succeededFuture(Viewport.DEFAULT);
        });
    }

    Future<Void> save(Viewport viewport) {
        return store.save(viewport);
    }
}
