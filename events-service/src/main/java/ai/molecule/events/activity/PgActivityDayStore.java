package ai.molecule.events.activity;

import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Tuple;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.List;

/**
 * The days that activity is kept in, in the partitions of {@code log.activity} and its bodies (db/log/V021__activity.sql). Every call is
 * safe on several replicas at once and may be repeated.
 *
 * @param pool of whom the tables belong to
 * @param bytesPerDay what the activity of one workspace may take up of a day
 */
public record PgActivityDayStore(Pool pool, long bytesPerDay) {

    /** Safe under races because the function creates a day under an advisory lock and only when it is missing. */
    private static final String KEEP = "SELECT log.keep_activity($1, $2, $3)";

    /** Also those that an interrupted drop has detached already. */
    private static final String BEFORE = """
            SELECT DISTINCT to_date(right(relname, 8), 'YYYYMMDD') AS day
            FROM pg_class
            WHERE relnamespace = 'log'::regnamespace AND relkind = 'r' AND relname ~ '^activity(_bodies)?_[0-9]{8}$'
              AND to_date(right(relname, 8), 'YYYYMMDD') < $1
            ORDER BY day
            """;

    private static final String ATTACHMENT = """
            SELECT inhdetachpending FROM pg_inherits WHERE inhrelid = to_regclass($1)
            """;

    private static final String FORGET_BYTES = "DELETE FROM log.activity_bytes WHERE day <= $1";

    private static final DateTimeFormatter SUFFIX = DateTimeFormatter.BASIC_ISO_DATE;

    /**
     * Makes room for rows of every day from {@code first} to {@code last} and one more, and has rows of other times kept with the nearest
     * of
     * them; days that are there stay as they are.
     */
    public Future<Void> prepare(LocalDate first, LocalDate last) {
        return pool.preparedQuery(KEEP)
                .execute(Tuple.of(first, last, bytesPerDay))
                .mapEmpty();
    }

    /** The days before {@code first} that still take up room, oldest first. */
    public Future<List<LocalDate>> before(LocalDate first) {
        return pool.preparedQuery(BEFORE)
                .execute(Tuple.of(first))
                .map(rows -> rows.stream().map(row -> row.getLocalDate(0)).toList());
    }

    /** Forgets a day whole, without holding up whoever reads or writes another. */
    public Future<Void> drop(LocalDate day) {
        return drop("activity", day)
                .compose(rows -> drop("activity_bodies", day))
                .compose(bodies -> pool.preparedQuery(FORGET_BYTES).execute(Tuple.of(day)))
                .mapEmpty();
    }

    /** Three steps, each of which the next run completes when this one is interrupted behind it. */
    private Future<?> drop(String parent, LocalDate day) {
        String partition = "log.%s_%s".formatted(parent, SUFFIX.format(day));
        return pool.preparedQuery(ATTACHMENT)
                .execute(Tuple.of(partition))
                .compose(rows -> {
                    if (rows.size() == 0) {
                        return Future.succeededFuture();
                    }
                    boolean pending = rows.iterator().next().getBoolean(0);
                    return pool.query("ALTER TABLE log.%s DETACH PARTITION %s %s"
                                    .formatted(parent, partition, pending ? "FINALIZE" : "CONCURRENTLY"))
                            .execute();
                })
                .compose(detached ->
                        pool.query("DROP TABLE IF EXISTS " + partition).execute());
    }
}
