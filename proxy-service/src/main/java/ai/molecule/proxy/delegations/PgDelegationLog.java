package ai.molecule.proxy.delegations;

import ai.molecule.common.activity.ActivityLog;
import ai.molecule.common.activity.ActivityRow;
import ai.molecule.common.db.Database;
import ai.molecule.common.db.Sql;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** Changes delegations, in one transaction with the rows of activity that show them; who watches is told after its commit. */
public final class PgDelegationLog {

    /** What {@link #shown} reads. */
    static final String COLUMNS = "id, result_id, delegation_id, source_id, target_id, task, status, result_status,"
            + " result_text, error, outcome_unknown, created_at, result_at";

    /** Changes, and puts into {@code told} what the activity shall say of it: it is appended last, and its locks are held briefly. */
    @FunctionalInterface
    interface Change<T> {
        Future<T> in(Sql transaction, List<ActivityRow> told);
    }

    private record Changed<T>(T answer, Set<UUID> fresh) {}

    private final Database database;
    private final ActivityLog activity;

    public PgDelegationLog(Database database, ActivityLog activity) {
        this.database = database;
        this.activity = activity;
    }

    Database database() {
        return database;
    }

    <T> Future<T> change(Change<T> change) {
        List<ActivityRow> told = new ArrayList<>();
        return database.transaction(transaction -> change.in(transaction, told)
                        .compose(answer ->
                                activity.upsert(transaction.client(), told).map(fresh -> new Changed<>(answer, fresh))))
                .map(changed -> {
                    activity.committed(told, changed.fresh);
                    return changed.answer;
                });
    }

    /** Has the activity tell of what a statement changed; answers its rows, which have all of {@link #COLUMNS}. */
    static Future<RowSet<Row>> tell(Sql transaction, List<ActivityRow> told, String statement, Tuple parameters) {
        return transaction
                .query(statement, parameters)
                .onSuccess(rows -> rows.forEach(row -> told.addAll(DelegationRows.of(shown(row)))));
    }

    /** @param row with all of {@link #COLUMNS} */
    static DelegationView shown(Row row) {
        var created = row.getOffsetDateTime("created_at").toInstant();
        var resulted = row.getOffsetDateTime("result_at");
        return new DelegationView(
                row.getUUID("id"),
                row.getUUID("result_id"),
                row.getString("delegation_id"),
                row.getUUID("source_id"),
                row.getUUID("target_id"),
                row.getString("task"),
                row.getString("status"),
                row.getString("result_status"),
                row.getString("result_text"),
                row.getString("error"),
                row.getBoolean("outcome_unknown"),
                created,
                resulted == null ? created : resulted.toInstant());
    }
}
