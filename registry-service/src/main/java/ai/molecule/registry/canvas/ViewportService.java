package ai.molecule.registry.canvas;

import io.vertx.core.Future;

/** The viewport, one for all. */
public final class ViewportService {

    private final ViewportStore store;

    public ViewportService(ViewportStore store) {
        this.store = store;
    }

    Future<Viewport> get() {
        return store.find().map(found -> found.orElse(Viewport.DEFAULT));
    }

    Future<Void> save(Viewport viewport) {
        return store.save(viewport);
    }
}
