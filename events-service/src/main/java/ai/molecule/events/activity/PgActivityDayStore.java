package ai.molecule.events.activity;

import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Tuple;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.List;

/** {@link ActivityDayStore} on the partitions of {@code activity_logs} (db/events/V002__activity_days.sql). */
public final class PgActivityDayStore implements ActivityDayStore {

    /** Safe under races because the function creates a day under an advisory lock and only when it is missing. */
    private static final String PREPARE = """
            SELECT add_activity_day(day::date) FROM generate_series($1::date, $2::date, interval '1 day') AS day
            """;

    /** Also those that an interrupted drop has detached already. */
    private static final String BEFORE = """
            SELECT to_date(right(relname, 8), 'YYYYMMDD') AS day
            FROM pg_class
            WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND relname ~ '^activity_logs_[0-9]{8}$'
              AND to_date(right(relname, 8), 'YYYYMMDD') < $1
            ORDER BY day
            """;

    private static final String ATTACHMENT = """
            SELECT inhdetachpending FROM pg_inherits WHERE inhrelid = to_regclass($1)
            """;

    private static final DateTimeFormatter SUFFIX = DateTimeFormatter.BASIC_ISO_DATE;

    private final Pool pool;

    public PgActivityDayStore(Pool pool) {
        this.pool = pool;
    }

    @Override
    public Future<Void> prepare(LocalDate first, LocalDate last) {
        return pool.preparedQuery(PREPARE).execute(Tuple.of(first, last)).mapEmpty();
    }

    @Override
    public Future<List<LocalDate>> before(LocalDate first) {
        return pool.preparedQuery(BEFORE)
                .execute(Tuple.of(first))
                .map(rows -> rows.stream().map(row -> row.getLocalDate(0)).toList());
    }

    /** Three steps, each of which the next run completes when this one is interrupted behind it. */
    @Override
    public Future<Void> drop(LocalDate day) {
        String table = "activity_logs_" + SUFFIX.format(day);
        return pool.preparedQuery(ATTACHMENT)
                .execute(Tuple.of(table))
                .compose(rows -> {
                    if (rows.size() == 0) {
                        return Future.succeededFuture();
                    }
                    boolean pending = rows.iterator().next().getBoolean(0);
                    return pool.query("ALTER TABLE activity_logs DETACH PARTITION %s %s"
                                    .formatted(table, pending ? "FINALIZE" : "CONCURRENTLY"))
                            .execute();
                })
                .compose(detached -> pool.query("DROP TABLE IF EXISTS " + table).execute())
                .compose(dropped -> pool.preparedQuery("DELETE FROM activity_bytes WHERE day <= $1")
                        .execute(Tuple.of(day)))
                .mapEmpty();
    }
}
