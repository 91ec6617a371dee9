package ai.molecule.registry.workspaces;

import ai.molecule.common.ApiError;
import ai.molecule.common.db.Sql;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/**
 * How many workspaces there may be, asked under the org chart's lock, so that what is counted stays true.
 *
 * @param childrenMax below one parent
 * @param workspacesMax in all, without removed ones
 */
public record PgWorkspaceQuota(int childrenMax, int workspacesMax) {

    /** Strangers that nobody has admitted yet: they are free to make, so they stop being made early. */
    private static final int UNADMITTED_MAX = 1_000;

    private static final String CHILDREN = """
            SELECT parent_id, count(*)::integer AS children FROM workspaces
            WHERE parent_id = ANY ($1) AND status <> 'removed' GROUP BY parent_id
            """;

    private static final String ALL = """
            SELECT count(*)::integer AS present, (count(*) FILTER (WHERE NOT admitted))::integer AS unadmitted
            FROM workspaces WHERE status <> 'removed'
            """;

    /** Fails with INSUFFICIENT_STORAGE when so many more would be too many. */
    Future<Void> checkRoom(Sql transaction, int more) {
        return transaction.query(ALL).compose(rows -> {
            int present = rows.iterator().next().getInteger("present");
            return present + more > workspacesMax ? full() : Future.succeededFuture();
        });
    }

    /** As {@link #checkRoom} for one more, and fails with RATE_LIMITED while too many others wait to be admitted. */
    public Future<Void> checkStranger(Sql transaction, boolean admitted) {
        return transaction.query(ALL).compose(rows -> {
            var row = rows.iterator().next();
            if (!admitted && row.getInteger("unadmitted") >= UNADMITTED_MAX) {
                return Future.failedFuture(new ApiError(
                        ApiError.Kind.RATE_LIMITED,
                        "too many workspaces wait to be admitted",
                        Map.of("retry_after", 60)));
            }
            return row.getInteger("present") >= workspacesMax ? full() : Future.succeededFuture();
        });
    }

    /** @param more how many come below whom */
    Future<Void> checkChildren(Sql transaction, Map<UUID, Integer> more) {
        return more.isEmpty()
                ? Future.succeededFuture()
                : transaction
                        .query(CHILDREN, Tuple.of(more.keySet().toArray(UUID[]::new)))
                        .compose(rows -> {
                            Map<UUID, Integer> wanted = new HashMap<>(more);
                            rows.forEach(row ->
                                    wanted.merge(row.getUUID("parent_id"), row.getInteger("children"), Integer::sum));
                            return wanted.values().stream().anyMatch(children -> children > childrenMax)
                                    ? Future.failedFuture(new ApiError(
                                            ApiError.Kind.INSUFFICIENT_STORAGE,
                                            "a workspace may have at most %d children".formatted(childrenMax)))
                                    : Future.succeededFuture();
                        });
    }

    private Future<Void> full() {
        return Future.failedFuture(new ApiError(
                ApiError.Kind.INSUFFICIENT_STORAGE,
                "an organisation may have at most %d workspaces".formatted(workspacesMax)));
    }
}
