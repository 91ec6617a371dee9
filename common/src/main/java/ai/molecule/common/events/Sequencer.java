package ai.molecule.common.events;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.hints.EventsAppended;
import ai.molecule.common.bus.hints.EventsNumbered;
import ai.molecule.common.loops.Loop;
import ai.molecule.common.reconcilers.RunReport;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Numbers committed events. Of all replicas one is the leader: it holds a term of 5 s in PostgreSQL, which it renews every second and
 * which each statement that numbers checks. One that dies, stands still or cannot reach the database loses it, and another works
 * within 7 s.
 */
public final class Sequencer {

    private static final Logger LOGGER = LoggerFactory.getLogger(Sequencer.class);

    /** Paced, because fewer passes that number more rows each burden the writers less. */
    private static final Loop.Times TIMES =
            new Loop.Times(Duration.ofMillis(100), Duration.ofMillis(4), Duration.ofSeconds(5));

    private static final Duration CLAIMED_EVERY = Duration.ofSeconds(1);
    private static final int PASS_MAX = 1_000;
    private static final long STATEMENT_TIMEOUT_MILLIS = 4_000;

    /** Racing claims queue on the row; whoever comes second finds it taken. Waits for a pass of the present leader. */
    private static final String CLAIM = """
        UPDATE log.sequencer_term SET holder = $1, until = clock_timestamp() + interval '5 seconds'
        WHERE holder = $1 OR until < clock_timestamp()
        """;

    private static final String RELEASE = "UPDATE log.sequencer_term SET until = clock_timestamp() WHERE holder = $1";

    /**
     * The fence: the term is checked in the statement, and its row held to the end, so that no claim of another comes between the look
     * at what is fresh and its numbers. Nothing is locked, and so nothing written, while there is nothing to number. A row committed
     * meanwhile is numbered by the next pass.
     */
    private static final String NUMBER = """
        WITH fresh AS MATERIALIZED (
            SELECT id, row_number() OVER (ORDER BY id) AS nth
            FROM (SELECT id FROM log.events WHERE seq IS NULL ORDER BY id LIMIT %d) AS unnumbered
        ), term AS MATERIALIZED (
            SELECT holder FROM log.sequencer_term
            WHERE EXISTS (SELECT 1 FROM fresh) AND holder = $1 AND until > clock_timestamp()
            FOR SHARE
        ), moved AS (
            UPDATE log.position SET last_seq = last_seq + (SELECT count(*) FROM fresh)
            WHERE EXISTS (SELECT 1 FROM term)
            RETURNING last_seq
        )
        UPDATE log.events AS event
        SET seq = moved.last_seq - (SELECT count(*) FROM fresh) + fresh.nth
        FROM fresh, moved
        WHERE event.id = fresh.id
        RETURNING event.seq
        """.formatted(PASS_MAX);

    private final UUID self = UUID.randomUUID();
    private final Vertx vertx;
    private final PgConnectOptions database;
    private final Bus bus;
    private final Loop loop;
    private @Nullable PgConnection connection;
    private volatile boolean leading;
    private long claimedAtNanos = System.nanoTime() - CLAIMED_EVERY.toNanos();

    public Sequencer(Vertx vertx, PgConnectOptions database, Bus bus, RunReport report) {
        this.vertx = vertx;
        this.database = database.addProperty("statement_timeout", String.valueOf(STATEMENT_TIMEOUT_MILLIS))
                .addProperty("idle_in_transaction_session_timeout", String.valueOf(STATEMENT_TIMEOUT_MILLIS));
        this.bus = bus;
        this.loop = new Loop(vertx, report, "PostgreSQL", TIMES, this::pass);
    }

    /** Starts on the calling context: a timer, and a pass at once whenever somebody says that events were appended. */
    public void start() {
        bus.listen(EventsAppended.HINT, hint -> loop.poke());
        loop.start();
    }

    /** Gives up the term, so that another replica takes over without waiting for its end. */
    public Future<Void> stop() {
        return loop.stop()
                .compose(
                        over -> leading && connection != null ? bounded(connection, RELEASE) : Future.succeededFuture())
                .otherwiseEmpty()
                .eventually(() -> {
                    leading = false;
                    return hangUp();
                })
                .otherwiseEmpty()
                .mapEmpty();
    }

    public boolean isLeading() {
        return leading;
    }

    /** What it did, or that another does it. */
    private Future<Object> pass() {
        return connected()
                .compose(open -> claim(open).compose(mine -> mine ? number(open) : Future.succeededFuture(0)))
                .<Object>map(numbered -> {
                    if (numbered > 0) {
                        loop.poke(); // without waiting for a hint: where one wrote, others are likely to follow
                    }
                    return leading ? "numbered %d events".formatted(numbered) : RunReport.StoodBy.STOOD_BY;
                })
                .onFailure(failure -> hangUp());
    }

    private Future<PgConnection> connected() {
        var open = connection;
        if (open != null) {
            return Future.succeededFuture(open);
        }
        var connecting = PgConnection.connect(vertx, database);
        return connecting
                .timeout(STATEMENT_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)
                .onFailure(late -> connecting.onSuccess(PgConnection::close))
                .onSuccess(fresh -> {
                    connection = fresh;
                    fresh.closeHandler(closed -> {
                        if (connection == fresh) {
                            connection = null;
                        }
                    });
                });
    }

    /** Whether this replica leads; asked once a second, and remembered between. */
    private Future<Boolean> claim(PgConnection open) {
        long now = System.nanoTime();
        if (now - claimedAtNanos < CLAIMED_EVERY.toNanos()) {
            return Future.succeededFuture(leading);
        }
        claimedAtNanos = now;
        return bounded(open, CLAIM).map(claimed -> {
            boolean mine = claimed.rowCount() == 1;
            if (mine != leading) {
                LOGGER.info(mine ? "sequencer elected" : "sequencer lost its term");
            }
            leading = mine;
            return mine;
        });
    }

    private Future<Integer> number(PgConnection open) {
        return bounded(open, NUMBER).map(rows -> {
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

    /** Each statement names who asks. Longer than the server gives it, so that only a server out of reach is given up here. */
    private Future<RowSet<Row>> bounded(PgConnection open, String statement) {
        return open.preparedQuery(statement)
                .execute(Tuple.of(self))
                .timeout(STATEMENT_TIMEOUT_MILLIS + 1_000, TimeUnit.MILLISECONDS);
    }

    private Future<Void> hangUp() {
        var open = connection;
        connection = null;
        return open == null ? Future.succeededFuture() : open.close();
    }
}
