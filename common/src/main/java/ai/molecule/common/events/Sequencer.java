package ai.molecule.common.events;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.hints.EventsAppended;
import ai.molecule.common.bus.hints.EventsNumbered;
import ai.molecule.common.reconcilers.RunReport;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.Row;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Numbers committed events. Of all replicas one holds the session lock and works; when it or its connection dies, PostgreSQL
 * frees the lock and another takes over at its next tick.
 */
public final class Sequencer {

    private static final Logger LOGGER = LoggerFactory.getLogger(Sequencer.class);

    /** The advisory lock's number ("molecule" on a telephone keypad), the same for all replicas and used for nothing else. */
    private static final long LOCK_KEY = 66_532_853L;

    private static final long TICK_MILLIS = 100;

    /** The least time between passes under load: fewer passes that number more rows each burden the writers less. */
    private static final long PACE_MILLIS = 4;

    /** Replicas that do not hold the lock try this often, so a takeover takes at most this plus the detection of the death. */
    private static final long ELECTION_MILLIS = 1_000;

    private static final int PASS_MAX = 1_000;
    private static final long PASS_TIMEOUT_MILLIS = 10_000;

    private static final String LOCK = "SELECT pg_try_advisory_lock(" + LOCK_KEY + ")";

    /**
     * Safe under races because only the lock's holder runs it: no two passes give out the same numbers, and a row committed
     * meanwhile is simply numbered by the next pass.
     */
    private static final String NUMBER = """
            WITH fresh AS (
                SELECT id, row_number() OVER (ORDER BY id) AS nth
                FROM (SELECT id FROM log.events WHERE seq IS NULL ORDER BY id LIMIT %d) AS unnumbered
            ), moved AS (
                UPDATE log.position SET last_seq = last_seq + (SELECT count(*) FROM fresh)
                WHERE EXISTS (SELECT 1 FROM fresh)
                RETURNING last_seq
            )
            UPDATE log.events AS event
            SET seq = moved.last_seq - (SELECT count(*) FROM fresh) + fresh.nth
            FROM fresh, moved
            WHERE event.id = fresh.id
            RETURNING event.seq
            """.formatted(PASS_MAX);

    private final Vertx vertx;
    private final PgConnectOptions database;
    private final Bus bus;
    private final RunReport report;
    private @Nullable PgConnection leading;
    private boolean working;
    private boolean again;
    private boolean stopped;
    private long lastElectionMillis;

    public Sequencer(Vertx vertx, PgConnectOptions database, Bus bus, RunReport report) {
        this.report = report;
        this.vertx = vertx;
        this.database = database;
        this.bus = bus;
    }

    /** Starts on the calling context: a timer, and a pass at once whenever somebody says that events were appended. */
    public void start() {
        bus.listen(EventsAppended.HINT, hint -> pass());
        vertx.setPeriodic(TICK_MILLIS, timer -> pass());
    }

    /** Gives up the lock, so that another replica takes over without waiting for a time-out. */
    public Future<Void> stop() {
        stopped = true;
        var connection = leading;
        leading = null;
        return connection == null ? Future.succeededFuture() : connection.close();
    }

    public boolean isLeading() {
        return leading != null;
    }

    private void pass() {
        if (stopped) {
            return;
        }
        if (working) {
            again = true;
            return;
        }
        working = true;
        lead().compose(this::number).onComplete(done -> {
            working = false;
            if (done.failed() && stopped) {
                return; // the connection was closed under it
            }
            report(done);
            if (done.failed()) {
                LOGGER.atWarn().setCause(done.cause()).log("sequencer pass failed");
                resign();
            } else if (done.result() == PASS_MAX || (again && done.result() == 0)) {
                again = false;
                pass();
            } else if (done.result() > 0) {
                passSoon(); // without waiting for a hint: where one wrote, others are likely to follow
            }
        });
    }

    private void passSoon() {
        working = true;
        vertx.setTimer(PACE_MILLIS, timer -> {
            working = false;
            again = false;
            pass();
        });
    }

    private Future<@Nullable PgConnection> lead() {
        if (leading != null) {
            return Future.succeededFuture(leading);
        }
        long now = System.nanoTime() / 1_000_000;
        if (lastElectionMillis != 0 && now - lastElectionMillis < ELECTION_MILLIS) {
            return Future.succeededFuture(null);
        }
        lastElectionMillis = now;
        return PgConnection.connect(vertx, database)
                .compose(connection -> connection.query(LOCK).execute().compose(rows -> {
                    if (Boolean.TRUE.equals(rows.iterator().next().getBoolean(0)) && !stopped) {
                        LOGGER.info("sequencer elected");
                        connection.closeHandler(closed -> resign());
                        leading = connection;
                        return Future.succeededFuture(connection);
                    }
                    return connection.close().map((PgConnection) null);
                }));
    }

    private Future<Integer> number(@Nullable PgConnection connection) {
        if (connection == null) {
            return Future.succeededFuture(0);
        }
        return connection
                .preparedQuery(NUMBER)
                .execute()
                .timeout(PASS_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)
                .map(rows -> {
                    long last = 0;
                    for (Row row : rows) {
                        last = Math.max(last, row.getLong(0));
                    }
                    if (rows.size() > 0) {
                        bus.publish(EventsNumbered.HINT, new EventsNumbered(last));
                    }
                    return rows.size();
                });
    }

    private void report(AsyncResult<Integer> pass) {
        if (pass.failed()) {
            report.failed(pass.cause());
        } else if (leading == null) {
            report.stoodBy();
        } else {
            report.done("numbered %d events".formatted(pass.result()));
        }
    }

    private void resign() {
        var connection = leading;
        leading = null;
        if (connection != null) {
            connection.close();
        }
    }
}
