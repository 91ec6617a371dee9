package ai.molecule.registry.keys;

import ai.molecule.common.db.Database;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;

/**
 * Keeps {@code branch_changes} to the newest change of each branch: beside these it holds what was changed since the last run, and whatever
 * is above {@value #FORGOTTEN_MAX} a run. Every replica does it; rows that another one holds are passed over. To be used on one event loop.
 */
public final class PgBranchChanges {

    private static final int FORGOTTEN_MAX = 10_000;

    /** Of a database that was restored elsewhere: transactions that have not begun here would be news for ever. */
    private static final String RENUMBER = """
            UPDATE branch_changes SET changed_in = 0 WHERE changed_in >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint
            """;

    private static final String OPEN = "SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS open";

    /** What a newer change of the same branch stands before; one that is added meanwhile is newer than all that are seen. */
    private static final String FORGET = """
            DELETE FROM branch_changes WHERE id IN (
                SELECT old.id
                FROM (SELECT DISTINCT branch FROM branch_changes WHERE changed_in >= $1) AS changed
                JOIN branch_changes AS old ON old.branch = changed.branch
                WHERE EXISTS (SELECT 1 FROM branch_changes AS newer WHERE newer.branch = old.branch AND newer.id > old.id)
                ORDER BY old.id LIMIT $2 FOR UPDATE OF old SKIP LOCKED)
            """;

    private final Database database;
    private long since;

    public PgBranchChanges(Database database) {
        this.database = database;
    }

    /** Looks at the branches that changed since the last run, at the first one at all of them. */
    public Future<Void> forget() {
        return database.run(RENUMBER)
                .compose(renumbered -> database.get(OPEN, Tuple.tuple(), row -> row.getLong("open")))
                .compose(open -> database.update(FORGET, Tuple.of(since, FORGOTTEN_MAX))
                        .map(forgotten -> {
                            if (forgotten < FORGOTTEN_MAX) {
                                since = open;
                            }
                            return null;
                        }));
    }
}
