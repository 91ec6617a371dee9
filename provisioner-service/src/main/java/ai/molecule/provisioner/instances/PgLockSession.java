package ai.molecule.provisioner.instances;

import ai.molecule.common.db.Postgres;
import ai.molecule.provisioner.instances.InstanceStore.Lock;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One provisioner's advisory locks, all on one connection, so that however many starts hang they take no connections from those who
 * want to end something. PostgreSQL releases them when that connection ends; the next lock opens another.
 */
final class PgLockSession {

    private static final String TRY_LOCK =
            "SELECT pg_try_advisory_lock(hashtextextended('provisioner.' || $1::text, 0))";

    private static final String UNLOCK = "SELECT pg_advisory_unlock(hashtextextended('provisioner.' || $1::text, 0))";

    private final Supplier<Future<SqlConnection>> connections;

    /** A session gets its own lock as often as it asks, so who has it here is known here. Guarded by this. */
    private final Set<UUID> held = new HashSet<>();

    private @Nullable Future<SqlConnection> session;

    PgLockSession(Supplier<Future<SqlConnection>> connections) {
        this.connections = connections;
    }

    Future<Optional<Lock>> tryLock(UUID workspaceId) {
        synchronized (this) {
            if (!held.add(workspaceId)) {
                return Future.succeededFuture(Optional.empty());
            }
        }
        var current = session();
        return current.compose(connection -> connection
                        .preparedQuery(TRY_LOCK)
                        .execute(Tuple.of(workspaceId.toString()))
                        .map(rows -> rows.iterator().next().getBoolean(0)
                                ? Optional.<Lock>of(() -> release(connection, workspaceId))
                                : Optional.<Lock>empty()))
                .onComplete(
                        locked -> {
                            if (locked.isEmpty()) {
                                forget(workspaceId);
                            }
                        },
                        failure -> {
                            forget(workspaceId);
                            if (Postgres.isUnavailable(failure)) {
                                over(current); // it may have ended before anybody listened for that
                            }
                        });
    }

    private Future<Void> release(SqlConnection connection, UUID workspaceId) {
        return connection
                .preparedQuery(UNLOCK)
                .execute(Tuple.of(workspaceId.toString()))
                .<Void>mapEmpty()
                .onComplete(done -> forget(workspaceId));
    }

    private synchronized void forget(UUID workspaceId) {
        held.remove(workspaceId);
    }

    private synchronized Future<SqlConnection> session() {
        if (session == null) {
            var opening = connections.get();
            session = opening;
            opening.onComplete(connection -> connection.closeHandler(gone -> over(opening)), away -> over(opening));
        }
        return session;
    }

    private synchronized void over(Future<SqlConnection> one) {
        if (session == one) {
            session = null;
        }
    }
}
