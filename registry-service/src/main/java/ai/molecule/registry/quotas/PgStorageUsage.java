package ai.molecule.registry.quotas;

import ai.molecule.common.db.Sql;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.util.UUID;

/** Whether a workspace is within its quota, asked in the transaction of a write after it. */
public final class PgStorageUsage {

    /** The write has locked the row it changed: nobody else's is missing in it. */
    private static final String WITHIN = """
            SELECT NOT EXISTS (
                SELECT 1 FROM storage_usage
                WHERE workspace_id = $1 AND kind = $2 AND (row_count > $3 OR byte_count > $4)
            )
            """;

    private PgStorageUsage() {}

    /** @param table that counts */
    public static Future<Boolean> isWithin(Sql transaction, UUID workspaceId, String table, Quota quota) {
        return transaction.get(
                WITHIN, Tuple.of(workspaceId, table, quota.rowsMax(), quota.bytesMax()), row -> row.getBoolean(0));
    }

    /** Fails with INSUFFICIENT_STORAGE, and so takes the write back, unless it is within. */
    public static Future<Void> require(Sql transaction, UUID workspaceId, String table, Quota quota) {
        return isWithin(transaction, workspaceId, table, quota)
                .compose(within -> within ? Future.succeededFuture() : Future.failedFuture(quota.exceeded()));
    }
}
