package ai.molecule.common.db;

import ai.molecule.common.loops.Loop;
import ai.molecule.common.reconcilers.RunReport;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * What the other replicas counted in the windows of limits, on a platform without Redis. Once a second one statement tells them what was
 * counted here and asks what they counted of the same; no request waits for it. So a replica may be unaware of what the others counted in
 * the last two seconds, and longer while PostgreSQL does not answer: of n replicas one key gets at most n - 1 times what a replica
 * admits of it in that time too much, and never more than n times its limit. At most {@value #KEYS_MAX} keys a replica are shared at a
 * time, and the others' of whatever comes beyond are not seen. Safe for any thread.
 */
public final class SharedWindows {

    static final int KEYS_MAX = 10_000;

    private static final int FORGOTTEN_MAX = 10_000;

    private static final Duration EVERY = Duration.ofSeconds(1);
    private static final Duration SYNC_MAX = Duration.ofSeconds(5);

    /**
     * Each replica writes its own rows alone, and a count never falls, so that a late statement takes nothing back. What is over goes by
     * whoever comes first.
     */
    private static final String SYNC = """
            WITH mine AS (
                INSERT INTO log.rate_windows AS kept (counter, replica, used, expires_at)
                SELECT counter, $1, used, now() + seconds * interval '2 seconds'
                FROM unnest($2::text[], $3::bigint[], $4::bigint[]) AS fresh (counter, used, seconds)
                ON CONFLICT (counter, replica) DO UPDATE SET used = greatest(kept.used, excluded.used)
            ), over AS (
                SELECT counter, replica FROM log.rate_windows WHERE expires_at <= now()
                LIMIT %d FOR UPDATE SKIP LOCKED
            ), forgotten AS (
                DELETE FROM log.rate_windows USING over
                WHERE rate_windows.counter = over.counter AND rate_windows.replica = over.replica
            )
            SELECT counter, sum(used)::bigint AS used FROM log.rate_windows
            WHERE counter = ANY ($2) AND replica <> $1
            GROUP BY counter
            """.formatted(FORGOTTEN_MAX);

    private final UUID replica = UUID.randomUUID();
    private final Sql sql;
    private final Clock clock;
    private final Loop loop;
    private final Map<String, Window> windows = new HashMap<>();

    /** One counter. */
    private static final class Window {
        final long seconds;
        final long endsAt;
        long used;
        long usedElsewhere;
        boolean fresh;

        Window(long seconds, long endsAt) {
            this.seconds = seconds;
            this.endsAt = endsAt;
        }
    }

    /** Does nothing by itself until it is started. */
    public SharedWindows(Vertx vertx, Sql sql, RunReport report, Clock clock) {
        this.sql = sql;
        this.clock = clock;
        this.loop = new Loop(vertx, report, "PostgreSQL", new Loop.Times(EVERY, SYNC_MAX), this::sync);
    }

    /** Speaks with the others every second from now on, while there is anything to tell. */
    public SharedWindows start() {
        loop.start();
        return this;
    }

    public Future<Void> stop() {
        return loop.stop();
    }

    /**
     * Notes that one was counted here.
     *
     * @param counter names the window as well, in the same way on all replicas
     * @param seconds the length of the window
     * @param endsAt in seconds since the epoch
     * @return what others had counted when last heard of
     */
    public synchronized long counted(String counter, long seconds, long endsAt) {
        var window = windows.get(counter);
        if (window == null) {
            if (windows.size() >= KEYS_MAX) {
                return 0;
            }
            window = new Window(seconds, endsAt);
            windows.put(counter, window);
        }
        window.used++;
        window.fresh = true;
        return window.usedElsewhere;
    }

    /** What others had counted when last heard of; 0 for a counter of which nothing was counted here. */
    public synchronized long heard(String counter) {
        var window = windows.get(counter);
        return window == null ? 0 : window.usedElsewhere;
    }

    /** Tells and asks, once. */
    Future<?> sync() {
        var told = takeFresh();
        if (told.isEmpty()) {
            return Future.succeededFuture();
        }
        return sql.list(SYNC, parameters(told), Heard::of).onSuccess(this::hear).onFailure(failure -> tellAgain(told));
    }

    private record Told(String counter, long used, long seconds) {}

    private record Heard(String counter, long used) {

        static Heard of(Row row) {
            return new Heard(row.getString("counter"), row.getLong("used"));
        }
    }

    private Tuple parameters(List<Told> told) {
        return Tuple.of(
                replica,
                told.stream().map(Told::counter).toArray(String[]::new),
                told.stream().map(Told::used).toArray(Long[]::new),
                told.stream().map(Told::seconds).toArray(Long[]::new));
    }

    private synchronized List<Told> takeFresh() {
        long now = clock.instant().getEpochSecond();
        windows.values().removeIf(window -> window.endsAt <= now);
        var told = new ArrayList<Told>();
        windows.forEach((counter, window) -> {
            if (window.fresh) {
                told.add(new Told(counter, window.used, window.seconds));
                window.fresh = false;
            }
        });
        // always in the same order, so that two statements of one replica never wait for each other
        told.sort(Comparator.comparing(Told::counter));
        return told;
    }

    private synchronized void hear(List<Heard> heard) {
        for (var one : heard) {
            var window = windows.get(one.counter());
            if (window != null) {
                window.usedElsewhere = Math.max(window.usedElsewhere, one.used());
            }
        }
    }

    private synchronized void tellAgain(List<Told> told) {
        for (var one : told) {
            var window = windows.get(one.counter());
            if (window != null) {
                window.fresh = true;
            }
        }
    }
}
