package ai.molecule.proxy.tasks;

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
import java.util.UUID;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** The tables {@code tasks} and {@code works}, as calls write them (db/proxy/V017__tasks.sql and what follows it). */
final class PgTaskLog {

    /** In one statement, for rows that know nothing of each other (db/proxy/V024__write_tasks.sql). */
    private static final String WRITE =
            "SELECT write_tasks($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)";

    /** Of rows that are there. */
    private static final String END = "SELECT end_tasks($1, $2, $3, $4, $5, $6, $7, $8)";

    private final Pool pool;

    PgTaskLog(Pool pool) {
        this.pool = pool;
    }

    /** All of a batch or nothing; an end in the same batch as its begin comes after it. */
    Future<?> write(UUID owner, TaskBatch batch) {
        var waves = batch.waves();
        if (waves.size() == 1 && batch.ends().isEmpty()) {
            return rows(pool, owner, waves.getFirst());
        }
        return pool.withTransaction(transaction -> {
            Future<?> done = Future.succeededFuture();
            for (var wave : waves) {
                done = done.compose(before -> rows(transaction, owner, wave));
            }
            return done.compose(before -> ends(transaction, batch.ends()));
        });
    }

    private static Future<?> rows(SqlClient client, UUID owner, List<Row> rows) {
        return client.preparedQuery(WRITE)
                .execute(Tuple.tuple()
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
                        .addArrayOfString(texts(rows, row -> of(row, Over::files, null))));
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
