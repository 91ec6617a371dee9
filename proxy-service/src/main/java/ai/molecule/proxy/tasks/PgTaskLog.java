package ai.molecule.proxy.tasks;

import ai.molecule.common.activity.ActivityLog;
import ai.molecule.common.activity.ActivityRow;
import ai.molecule.proxy.tasks.TaskBatch.Row;
import ai.molecule.proxy.tasks.TaskNote.Over;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** The tables {@code tasks} and {@code works}, as calls write them (db/proxy/V017__tasks.sql and what follows it). */
final class PgTaskLog {

    /** In one statement, for rows that know nothing of each other (db/proxy/V024__write_tasks.sql, V072). */
    private static final String WRITE =
            "SELECT write_tasks($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)";

    private static final String WRITE_AND_APPEND = ActivityLog.behind("write_tasks", 15);

    /** Of rows that are there. */
    private static final String END = "SELECT end_tasks($1, $2, $3, $4, $5, $6, $7, $8)";

    private final Pool pool;

    PgTaskLog(Pool pool) {
        this.pool = pool;
    }

    /** All of a batch or nothing; an end in the same batch as its begin comes after it. */
    Future<?> write(UUID owner, TaskBatch batch) {
        return isOneStatement(batch)
                ? pool.preparedQuery(WRITE).execute(columns(owner, batch.waves().getFirst()))
                : pool.withTransaction(transaction -> write(transaction, owner, batch));
    }

    /** Rows of activity alone. Answers the ids of those that are new. */
    Future<Set<UUID>> append(ActivityLog log, List<ActivityRow> rows) {
        return log.append(pool, rows);
    }

    /** As {@link #write}, and rows of activity in the same commit. Answers the ids of those that are new. */
    Future<Set<UUID>> write(UUID owner, TaskBatch batch, ActivityLog log, List<ActivityRow> rows) {
        return isOneStatement(batch)
                ? log.appendBehind(
                        pool, WRITE_AND_APPEND, columns(owner, batch.waves().getFirst()), rows)
                : pool.withTransaction(transaction ->
                        write(transaction, owner, batch).compose(written -> log.append(transaction, rows)));
    }

    private static boolean isOneStatement(TaskBatch batch) {
        return batch.waves().size() == 1 && batch.ends().isEmpty();
    }

    private static Future<?> write(SqlClient transaction, UUID owner, TaskBatch batch) {
        Future<?> done = Future.succeededFuture();
        for (var wave : batch.waves()) {
            done = done.compose(before -> transaction.preparedQuery(WRITE).execute(columns(owner, wave)));
        }
        return done.compose(before -> ends(transaction, batch.ends()));
    }

    private static Tuple columns(UUID owner, List<Row> rows) {
        return Tuple.tuple()
                .addUUID(owner)
                .addArrayOfUUID(uuids(rows, row -> row.begun().id()))
                .addArrayOfUUID(uuids(rows, row -> row.begun().target()))
                .addArrayOfUUID(uuids(rows, row -> row.begun().caller()))
                .addArrayOfString(texts(rows, row -> row.begun().messageId()))
                .addArrayOfString(texts(rows, row -> row.begun().taskId()))
                .addArrayOfString(texts(rows, row -> row.begun().contextId()))
                .addArrayOfString(texts(rows, row -> row.begun().trace()))
                .addArrayOfString(texts(rows, row -> row.begun().preview()))
                .addArrayOfString(texts(rows, row -> row.begun().words()))
                .addArrayOfOffsetDateTime(times(rows, row -> row.begun().at()))
                .addArrayOfString(texts(rows, row -> of(row, Over::status, "running")))
                .addArrayOfOffsetDateTime(times(rows, row -> of(row, Over::at, null)))
                .addArrayOfString(texts(rows, row -> of(row, PgTaskLog::answer, null)))
                .addArrayOfString(texts(rows, row -> of(row, Over::files, null)));
    }

    private static Future<?> ends(SqlClient transaction, List<Over> ends) {
        return ends.isEmpty()
                ? Future.succeededFuture()
                : transaction
                        .preparedQuery(END)
                        .execute(Tuple.tuple()
                                .addArrayOfUUID(uuids(ends, Over::id))
                                .addArrayOfUUID(uuids(ends, Over::target))
                                .addArrayOfString(texts(ends, Over::messageId))
                                .addArrayOfString(texts(ends, Over::taskId))
                                .addArrayOfString(texts(ends, Over::status))
                                .addArrayOfOffsetDateTime(times(ends, Over::at))
                                .addArrayOfString(texts(ends, PgTaskLog::answer))
                                .addArrayOfString(texts(ends, Over::files)));
    }

    private static <T> @Nullable T of(Row row, Function<Over, @Nullable T> field, @Nullable T whileItRuns) {
        var over = row.over();
        return over == null ? whileItRuns : field.apply(over);
    }

    /** Null where it says nothing; an empty one goes with files. */
    private static @Nullable String answer(Over over) {
        return over.saysSomething() ? over.words() : null;
    }

    private static <T> UUID[] uuids(List<T> all, Function<T, @Nullable UUID> id) {
        return column(all, id, UUID[]::new);
    }

    private static <T> String[] texts(List<T> all, Function<T, @Nullable String> text) {
        return column(
                all,
                one -> {
                    String said = text.apply(one);
                    return said == null ? null : said.replace('\0', '\ufffd');
                },
                String[]::new);
    }

    private static <T> OffsetDateTime[] times(List<T> all, Function<T, @Nullable Instant> time) {
        return column(
                all,
                one -> {
                    var at = time.apply(one);
                    return at == null ? null : at.atOffset(ZoneOffset.UTC);
                },
                OffsetDateTime[]::new);
    }

    private static <T, C> C[] column(List<T> all, Function<T, @Nullable C> field, IntFunction<C[]> array) {
        C[] column = array.apply(all.size());
        for (int i = 0; i < column.length; i++) {
            column[i] = field.apply(all.get(i));
        }
        return column;
    }
}
