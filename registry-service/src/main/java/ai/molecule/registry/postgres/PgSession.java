package ai.molecule.registry.postgres;

import ai.molecule.common.db.Postgres;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One connection outside the pool, for a batcher or a session lock: opened when first used and again after it was lost. To be
 * used on one event loop.
 */
public final class PgSession {

    private static final int CONNECT_TIMEOUT_SECONDS = 5;
    private static final String STATEMENT_TIMEOUT_MILLIS = "10000";
    private static final long ANSWER_TIMEOUT_SECONDS = 15;

    private final Vertx vertx;
    private final PgConnectOptions options;
    private @Nullable Future<PgConnection> opening;
    private boolean closed;
    private long losses;

    public PgSession(Vertx vertx, String databaseUrl) {
        this.vertx = vertx;
        this.options = Postgres.connectOptions(databaseUrl, "registry")
                .addProperty("statement_timeout", STATEMENT_TIMEOUT_MILLIS)
                .addProperty("tcp_keepalives_idle", "3") // a lock must not outlive its holder by TCP's default of hours
                .addProperty("tcp_keepalives_interval", "1")
                .addProperty("tcp_keepalives_count", "3")
                .addProperty("idle_in_transaction_session_timeout", STATEMENT_TIMEOUT_MILLIS);
    }

    /** Runs {@code work} on the connection; a failure that says the database is gone drops it, so that the next use connects anew. */
    public <T> Future<T> with(Function<PgConnection, Future<T>> work) {
        return connection()
                .compose(work)
                .timeout(ANSWER_TIMEOUT_SECONDS, TimeUnit.SECONDS)
                .onFailure(this::dropIfLost);
    }

    /** As {@link #with}, in a transaction of its own. */
    public <T> Future<T> withTransaction(Function<PgConnection, Future<T>> work) {
        return with(connection -> connection
                .begin()
                .compose(transaction -> work.apply(connection)
                        .compose(
                                outcome -> transaction.commit().map(outcome),
                                failure ->
                                        transaction.rollback().transform(rolledBack -> Future.failedFuture(failure)))));
    }

    /** How often the connection was lost or could not be had; whoever holds a session lock has lost it when this grows. */
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

    private Future<PgConnection> connection() {
        if (closed) {
            return Future.failedFuture("Connection is closed");
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
