package ai.molecule.common.db;

import ai.molecule.common.audit.Actor;
import ai.molecule.common.db.Database.Transaction;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.ClosedConnectionException;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One connection outside the pool, for who must not wait for others or must know whether it was lost: opened when first used and again
 * after it was lost. Each call is given up after half as long again as the server gives a statement, and the connection with it. To be
 * used on one event loop.
 */
public final class Session implements Sql {

    private static final int CONNECT_TIMEOUT_SECONDS = 5;
    static final Duration STATEMENT_MAX = Duration.ofSeconds(10);

    private final Vertx vertx;
    private final PgConnectOptions options;
    private final long answerMaxMillis;
    private final Runnable appended;
    private @Nullable Future<PgConnection> opening;
    private boolean closed;
    private long losses;

    Session(Vertx vertx, PgConnectOptions options, Duration statementMax, Runnable appended) {
        this.vertx = vertx;
        this.appended = appended;
        this.answerMaxMillis = statementMax.toMillis() * 3 / 2;
        String timeout = String.valueOf(statementMax.toMillis());
        this.options = options.addProperty("statement_timeout", timeout)
                .addProperty(
                        "tcp_keepalives_idle", "3") // what it locks must not stay locked for TCP's default of hours
                .addProperty("tcp_keepalives_interval", "1")
                .addProperty("tcp_keepalives_count", "3")
                .addProperty("idle_in_transaction_session_timeout", timeout);
    }

    /** Is there only within {@link #transaction}. */
    @Override
    public SqlClient client() {
        throw new IllegalStateException("a session has no connection before it is used");
    }

    @Override
    public Future<RowSet<Row>> query(String statement, Tuple parameters) {
        return with(connection -> connection.preparedQuery(statement).execute(parameters))
                .onSuccess(done -> {
                    if (statement.contains(APPENDS)) {
                        appended.run();
                    }
                });
    }

    /** As {@link Database#transaction}. */
    public <T> Future<T> transaction(Function<Sql, Future<T>> work) {
        return with(connection -> {
            var appending = new AtomicBoolean();
            var actor = Actor.current();
            return connection
                    .begin()
                    .compose(transaction -> work.apply(new Transaction(connection, appending, actor))
                            .compose(
                                    outcome -> transaction.commit().map(outcome),
                                    failure -> transaction
                                            .rollback()
                                            .transform(rolledBack -> Future.failedFuture(failure))))
                    .onSuccess(committed -> {
                        if (appending.get()) {
                            appended.run();
                        }
                    });
        });
    }

    /** How often the connection was lost or could not be had. */
    public long losses() {
        return losses;
    }

    public Future<Void> close() {
        closed = true;
        var last = opening;
        opening = null;
        return last == null
                ? Future.succeededFuture()
                : last.compose(PgConnection::close).otherwiseEmpty();
    }

    private <T> Future<T> with(Function<PgConnection, Future<T>> work) {
        return connection()
                .compose(work)
                .timeout(answerMaxMillis, TimeUnit.MILLISECONDS)
                .onFailure(this::dropIfLost);
    }

    private Future<PgConnection> connection() {
        if (closed) {
            return Future.failedFuture(ClosedConnectionException.INSTANCE);
        }
        if (opening == null) {
            var connecting = PgConnection.connect(vertx, options);
            var attempt = connecting.timeout(CONNECT_TIMEOUT_SECONDS, TimeUnit.SECONDS);
            opening = attempt;
            attempt.onSuccess(connection -> connection.closeHandler(gone -> lost(attempt)))
                    .onFailure(failure -> lost(attempt))
                    .onFailure(failure -> connecting.onSuccess(PgConnection::close));
            return attempt;
        }
        return opening;
    }

    private void dropIfLost(Throwable failure) {
        var current = opening;
        if (current != null && Postgres.isUnavailable(failure)) {
            lost(current);
            current.onSuccess(PgConnection::close);
        }
    }

    private void lost(Future<PgConnection> connection) {
        if (connection.equals(opening)) {
            opening = null;
            losses++;
        }
    }
}
