package ai.molecule.registry.workspaces;

import ai.molecule.common.db.Sql;
import ai.molecule.registry.workspaces.Workspace.Place;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Where roots go that nobody placed: to the right of everything. Canvases take exactly 0,0 for never placed, lay such a root out anew at
 * every load, each over the other, and store what they made up.
 */
public final class PgFreePlace {

    private static final double MARGIN = 80;

    /** A card of the canvas and a gap. */
    private static final double STEP = 320;

    private static final String NEXT =
            "SELECT coalesce(max(x) + %s, %s) AS x FROM canvas_layouts".formatted(STEP, MARGIN);

    private static final String TAKE = """
            INSERT INTO canvas_layouts (workspace_id, x, y) SELECT $1, (%s), $2
            ON CONFLICT (workspace_id) DO NOTHING
            """.formatted(NEXT);

    private PgFreePlace() {}

    /** For a root that is there already. */
    public static Future<Void> take(Sql transaction, UUID root) {
        return transaction.run(TAKE, Tuple.of(root, MARGIN));
    }

    /** Moves each root that stands at 0,0, with what is below it. Parents come earlier in the list. */
    static Future<List<NewWorkspace>> forRoots(Sql transaction, List<NewWorkspace> workspaces) {
        return workspaces.stream().noneMatch(PgFreePlace::isUnplacedRoot)
                ? Future.succeededFuture(workspaces)
                : transaction
                        .get(NEXT, Tuple.tuple(), row -> row.getDouble("x"))
                        .map(next -> moved(workspaces, next));
    }

    /** @param next where the first of them goes */
    static List<NewWorkspace> moved(List<NewWorkspace> workspaces, double next) {
        Map<UUID, Double> by = new HashMap<>();
        List<NewWorkspace> moved = new ArrayList<>(workspaces.size());
        double right = next - STEP;
        for (var workspace : workspaces) {
            var shift = isUnplacedRoot(workspace) ? Double.valueOf(right + STEP) : by.get(workspace.parentId());
            var now = workspace;
            if (shift != null) {
                by.put(workspace.id(), shift);
                var place = workspace.place();
                now = workspace.at(new Place(place.x() + shift, place.y() + MARGIN, place.collapsed()));
            }
            right = Math.max(right, now.place().x());
            moved.add(now);
        }
        return moved;
    }

    private static boolean isUnplacedRoot(NewWorkspace workspace) {
        return workspace.parentId() == null
                && workspace.place().x() == 0
                && workspace.place().y() == 0;
    }
}
