package ai.molecule.registry.canvas;

import io.vertx.core.Future;
import java.util.Optional;

/** What {@link ViewportService} needs from persistence. */
public interface ViewportStore {

    Future<Optional<Viewport>> find();

    Future<Void> save(Viewport viewport);
}
