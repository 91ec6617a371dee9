package ai.molecule.registry.canvas;

import ai.molecule.common.db.Database;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.util.Optional;

/** The viewport, one for all, in the one row of {@code canvas_viewport}. */
public record PgViewportStore(Database database) {

    /** What part of the canvas is shown. */
    record Viewport(double x, double y, double zoom) {}

    private static final String FIND = "SELECT x, y, zoom FROM canvas_viewport";

    /** The key admits one row; of two racing saves the later wins. */
    private static final String SAVE = """
            INSERT INTO canvas_viewport (x, y, zoom) VALUES ($1, $2, $3)
            ON CONFLICT (one) DO UPDATE SET x = excluded.x, y = excluded.y, zoom = excluded.zoom
            """;

    Future<Optional<Viewport>> find() {
        return database.find(
                FIND,
                Tuple.tuple(),
                row -> new Viewport(row.getDouble("x"), row.getDouble("y"), row.getDouble("zoom")));
    }

    Future<Void> save(Viewport viewport) {
        return database.run(SAVE, Tuple.of(viewport.x, viewport.y, viewport.zoom));
    }
}
