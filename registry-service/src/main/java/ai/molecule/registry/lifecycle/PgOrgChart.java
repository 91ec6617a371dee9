package ai.molecule.registry.lifecycle;

import ai.molecule.common.ApiError;
import ai.molecule.common.db.Sql;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What transactions that change the org chart, or act on a whole branch of it, do first. */
public final class PgOrgChart {

    /**
     * Held to the end of the transaction by one at a time, and always taken before any row: a branch stays what it was read as,
     * and two moves cannot make a circle between them.
     */
    private static final String LOCK = "SELECT pg_advisory_xact_lock(66532854)";

    private static final String PARENT = "SELECT id FROM workspaces WHERE id = $1 AND status <> 'removed'";

    private static final String QUARANTINED = "SELECT 1 FROM workspaces WHERE id = $1 AND quarantined";

    private PgOrgChart() {}

    /** Transactions that begin with it take their turns ({@link ai.molecule.common.db.Database#transactionInTurn}). */
    public static Future<Void> lock(Sql transaction) {
        return transaction.run(LOCK);
    }

    /** Fails with CONFLICT when this workspace is cut off by a person. */
    public static Future<Void> refuseQuarantined(Sql transaction, @Nullable UUID id) {
        if (id == null) {
            return Future.succeededFuture();
        }
        return transaction
                .query(QUARANTINED, Tuple.of(id))
                .compose(rows -> rows.size() == 0
                        ? Future.succeededFuture()
                        : Future.failedFuture(ApiError.conflict("workspace is quarantined")));
    }

    /** Fails with INVALID unless the parent exists; to be called under the lock. */
    public static Future<Void> requireParent(Sql transaction, @Nullable UUID parentId) {
        if (parentId == null) {
            return Future.succeededFuture();
        }
        return transaction
                .query(PARENT, Tuple.of(parentId))
                .compose(rows -> rows.size() > 0
                        ? Future.succeededFuture()
                        : Future.failedFuture(ApiError.invalid("parent workspace not found")));
    }
}
