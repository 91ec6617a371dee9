package ai.molecule.common.db;

import ai.molecule.common.ApiError;
import ai.molecule.common.audit.Actor;
import ai.molecule.common.audit.Audited;
import ai.molecule.common.loops.Turns;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The way to a schema of PostgreSQL. Every call ends: a statement waits 5 s for a connection, runs for 10 s by the server's clock, and
 * fails with its connection, which is closed, when nothing is heard on that for 25 s. Whoever appended events need not tell: the sequencer
 * is poked after the commit of what ran a statement with {@link Sql#APPENDS}. Nor has anybody to say who changes something: where the
 * calling context has an {@link Actor}, what changes an {@link Audited} table is told it. What a failure means to a caller is decided by
 * {@link Postgres#outage}.
 */
public final class Database implements Sql {

    private static final int WAITING_MAX = 1_000;
    private static final Duration WAIT_MAX = Duration.ofSeconds(5);

    private final Vertx vertx;
    private final String url;
    private final String schema;
    private final Pool pool;
    private final Runnable appended;
    private final Turns turns;

    /** @param appended called after each commit with which events became visible */
    public Database(Vertx vertx, String url, String schema, Runnable appended) {
        this.vertx = vertx;
        this.url = url;
        this.schema = schema;
        this.pool = Postgres.pool(vertx, url, schema);
        this.appended = appended;
        this.turns = new Turns(vertx, WAITING_MAX, WAIT_MAX, ApiError::platformUnavailable);
    }

    /** Each statement on a connection of its own, committed when it completes. */
    @Override
    public SqlClient client() {
        return pool;
    }

    @Override
    public void ran(String statement) {
        if (statement.contains(APPENDS)) {
            appended.run();
        }
    }

    /** In a transaction of its own where the record has to know whose change it is. */
    @Override
    public Future<RowSet<Row>> query(String statement, Tuple parameters) {
        return Actor.current() != null && Audited.by(statement)
                ? transaction(transaction -> transaction.query(statement, parameters))
                : Sql.super.query(statement, parameters);
    }

    /** Commits when {@code work} completes, else rolls back and fails as it did. */
    public <T> Future<T> transaction(Function<Sql, Future<T>> work) {
        var appending = new AtomicBoolean();
        var actor = Actor.current();
        return pool.withTransaction(connection -> work.apply(new Transaction(connection, appending, actor)))
                .onSuccess(committed -> {
                    if (appending.get()) {
                        appended.run();
                    }
                });
    }

    /**
     * The same one at a time, for what takes a lock first that many take: whoever waits for its turn holds no connection, so that a slow
     * holder of that lock does not take them all. Fails as if there were no connection after 5 s, or where 1,000 wait.
     */
    public <T> Future<T> transactionInTurn(Function<Sql, Future<T>> work) {
        return turns.run(() -> transaction(work));
    }

    /** A connection outside the pool, which its user closes. */
    public Session session() {
        return session(Session.STATEMENT_MAX);
    }

    /** @param statementMax what the server gives a statement on it */
    public Session session(Duration statementMax) {
        return new Session(vertx, Postgres.connectOptions(url, schema), statementMax, appended);
    }

    /** With the service's role in it, for pools beside this one. */
    public String url() {
        return url;
    }

    public Pool pool() {
        return pool;
    }

    public Future<Void> close() {
        return pool.close();
    }

    /**
     * @param appending set by the first statement that appends
     * @param unsaid who the transaction has yet to be told acts in it; null when that is done, or nobody's business
     */
    record Transaction(SqlClient client, AtomicBoolean appending, AtomicReference<@Nullable Actor> unsaid)
            implements Sql {

        private static final String SAY = "SELECT set_config('" + Actor.NAME + "', $1, true)";

        Transaction(SqlClient client, AtomicBoolean appending, @Nullable Actor actor) {
            this(client, appending, new AtomicReference<>(actor));
        }

        @Override
        public Future<RowSet<Row>> query(String statement, Tuple parameters) {
            var actor = unsaid.get();
            if (actor == null || !Audited.by(statement)) {
                return Sql.super.query(statement, parameters);
            }
            unsaid.set(null);
            return Sql.super.query(SAY, Tuple.of(actor.json())).compose(said -> Sql.super.query(statement, parameters));
        }

        @Override
        public void ran(String statement) {
            if (statement.contains(APPENDS)) {
                appending.set(true);
            }
        }
    }
}
