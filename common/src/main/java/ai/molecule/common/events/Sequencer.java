package ai.molecule.common.events;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.hints.EventsAppended;
import ai.molecule.common.bus.hints.EventsNumbered;
import ai.molecule.common.db.Database;
import ai.molecule.common.db.Session;
import ai.molecule.common.loops.Loop;
import ai.molecule.common.reconcilers.RunReport;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.Collections;
import java.util.UUID;
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

    /** Less than a term. */
    private static final Duration STATEMENT_MAX = Duration.ofSeconds(4);

    /**
     * Of the rows of {@code log.events} those without a number, found from where all before have one: an index entry of a row that was
     * numbered is passed over by each look for as long as any snapshot is open that is older, such as a backup's
     * (db/log/V207__numbered_up_to.sql).
     */
    public static final String UNNUMBERED = "seq IS NULL AND id > (SELECT numbered_to FROM log.position)";

    /** Racing claims queue on the row; whoever comes second finds it taken. Waits for a pass of the present leader. */
    private static final String CLAIM = """
        UPDATE log.sequencer_term SET holder = $1, until = clock_timestamp() + interval '5 seconds'
        WHERE holder = $1 OR until < clock_timestamp()
        """;

    private static final String RELEASE = "UPDATE log.sequencer_term SET until = clock_timestamp() WHERE holder = $1";

    /**
     * The fence: the term is checked in the statement, and its row held to the end, so that no claim of another comes between the look
     * at what is fresh and its numbers. Nothing is locked, and so nothing written, while there is nothing to number. A row committed
     * meanwhile is numbered by the next pass. That moves the lower bound, too: to what an earlier pass saw, when all transactions are over
     * that began before that pass had a number of its own. Another server's transactions, of which a restored copy tells, are not waited
     * for.
     */
    static final String NUMBER = """
        WITH fresh AS MATERIALIZED (
            SELECT id, row_number() OVER (ORDER BY id) AS nth
            FROM (SELECT id FROM log.events WHERE %1$s ORDER BY id LIMIT %2$d) AS unnumbered
        ), term AS MATERIALIZED (
            SELECT holder FROM log.sequencer_term
            WHERE EXISTS (SELECT 1 FROM fresh) AND holder = $1 AND until > clock_timestamp()
            FOR SHARE
        ), moved AS (
            UPDATE log.position SET
                last_seq = last_seq + seen.events,
                numbered_to = CASE
                    WHEN next_before > pg_snapshot_xmin(pg_current_snapshot()) THEN numbered_to
                    WHEN seen.events < %2$d THEN next_to
                    ELSE least(next_to, seen.last) END,
                (next_to, next_before) = (SELECT
                    CASE WHEN renewed THEN greatest(next_to, seen.last) ELSE next_to END,
                    CASE WHEN renewed THEN pg_current_xact_id() ELSE next_before END
                    FROM (SELECT next_before <= pg_snapshot_xmin(pg_current_snapshot())
                        OR next_before > pg_current_xact_id() AS renewed) AS one)
            FROM (SELECT count(*) AS events, max(id) AS last FROM fresh) AS seen
            WHERE EXISTS (SELECT 1 FROM term)
            RETURNING last_seq
        )
        UPDATE log.events AS event
        SET seq = moved.last_seq - (SELECT count(*) FROM fresh) + fresh.nth
        FROM fresh, moved
        WHERE event.id = fresh.id
        RETURNING event.seq
        """.formatted(UNNUMBERED, PASS_MAX);

    private final UUID self = UUID.randomUUID();
    private final Session session;
    private final Bus bus;
    private final Loop loop;
    private volatile boolean leading;
    private long claimedAtNanos = System.nanoTime() - CLAIMED_EVERY.toNanos();

    public Sequencer(Vertx vertx, Database database, Bus bus, RunReport report) {
        this.session = database.session(STATEMENT_MAX);
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
                .compose(over -> leading ? session.run(RELEASE, Tuple.of(self)) : Future.succeededFuture())
                .otherwiseEmpty()
                .eventually(() -> {
                    leading = false;
                    return session.close();
                })
                .otherwiseEmpty();
    }

    /** Whose term it holds, for what else the leader does under it. */
    public UUID holder() {
        return self;
    }

    public boolean isLeading() {
        return leading;
    }

    /** What it did, or that another does it. */
    private Future<Object> pass() {
        return claim().compose(mine -> mine ? number() : Future.succeededFuture(0))
                .<Object>map(numbered -> {
                    if (numbered > 0) {
                        loop.poke(); // without waiting for a hint: where one wrote, others are likely to follow
                    }
                    return leading ? "numbered %d events".formatted(numbered) : RunReport.StoodBy.STOOD_BY;
                });
    }

    /** Whether this replica leads; asked once a second, and remembered between. */
    private Future<Boolean> claim() {
        long now = System.nanoTime();
        if (now - claimedAtNanos < CLAIMED_EVERY.toNanos()) {
            return Future.succeededFuture(leading);
        }
        claimedAtNanos = now;
        return session.changes(CLAIM, Tuple.of(self)).map(mine -> {
            if (mine != leading) {
                LOGGER.info(mine ? "sequencer elected" : "sequencer lost its term");
            }
            leading = mine;
            return mine;
        });
    }

    private Future<Integer> number() {
        return session.list(NUMBER, Tuple.of(self), row -> row.getLong(0)).map(positions -> {
            if (!positions.isEmpty()) {
                bus.publish(EventsNumbered.HINT, new EventsNumbered(Collections.max(positions)));
            }
            return positions.size();
        });
    }
}
