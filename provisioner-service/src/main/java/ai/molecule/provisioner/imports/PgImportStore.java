package ai.molecule.provisioner.imports;

import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** {@link ImportStore} on the table {@code imports} (db/provisioner). One that is held keeps a connection of its own. */
public final class PgImportStore implements ImportStore {

    /** A session lock: it ends with its connection, so a provisioner that died holds nothing. */
    private static final String TRY_LOCK = "SELECT pg_try_advisory_lock(hashtextextended('import.' || $1::text, 0))";

    private static final String UNLOCK = "SELECT pg_advisory_unlock(hashtextextended('import.' || $1::text, 0))";

    /** Under its lock, which is taken first: no row is ever seen that nobody holds while its import goes on. */
    private static final String INSERT = "INSERT INTO imports (id, roots, managed, start) VALUES ($1, $2, $3, $4)";

    private static final String EQUIPPED = "UPDATE imports SET equipped = true WHERE id = $1";

    private static final String DELETE = "DELETE FROM imports WHERE id = $1";

    private static final String LIST = "SELECT id FROM imports ORDER BY created_at LIMIT $1";

    private static final String FIND = "SELECT id, roots, managed, start, equipped FROM imports WHERE id = $1";

    private final Pool pool;

    public PgImportStore(Pool pool) {
        this.pool = pool;
    }

    @Override
    public Future<Held> begin(OpenImport started) {
        var row = Tuple.tuple()
                .addUUID(started.id())
                .addValue(started.roots().toArray(UUID[]::new))
                .addValue(started.managed().toArray(UUID[]::new))
                .addBoolean(started.start());
        return pool.getConnection()
                .compose(connection -> lock(connection, started.id())
                        .compose(locked -> connection.preparedQuery(INSERT).execute(row))
                        .<Held>map(inserted -> new PgHeld(connection, started))
                        .onFailure(failure -> unlock(connection, started.id())));
    }

    @Override
    public Future<List<UUID>> list() {
        return pool.preparedQuery(LIST)
                .mapping(row -> row.getUUID("id"))
                .execute(Tuple.of(LIST_MAX))
                .map(rows -> rows.stream().toList());
    }

    @Override
    public Future<Optional<Held>> take(UUID id) {
        return pool.getConnection()
                .compose(connection -> lock(connection, id)
                        .compose(locked -> locked
                                ? held(connection, id)
                                : connection.close().map(Optional.<Held>empty()))
                        .onFailure(failure -> unlock(connection, id)));
    }

    private static Future<Optional<Held>> held(SqlConnection connection, UUID id) {
        return connection
                .preparedQuery(FIND)
                .mapping(PgImportStore::toImport)
                .execute(Tuple.of(id))
                .compose(rows -> rows.size() == 0
                        ? unlock(connection, id).map(Optional.<Held>empty())
                        : Future.succeededFuture(Optional.of(
                                new PgHeld(connection, rows.iterator().next()))));
    }

    private static Future<Boolean> lock(SqlConnection connection, UUID id) {
        return connection
                .preparedQuery(TRY_LOCK)
                .execute(Tuple.of(id.toString()))
                .map(rows -> rows.iterator().next().getBoolean(0));
    }

    private static Future<Void> unlock(SqlConnection connection, UUID id) {
        return connection
                .preparedQuery(UNLOCK)
                .execute(Tuple.of(id.toString()))
                .<Void>mapEmpty()
                .eventually(connection::close);
    }

    private static OpenImport toImport(Row row) {
        return new OpenImport(
                row.getUUID("id"),
                List.of(row.getArrayOfUUIDs("roots")),
                List.of(row.getArrayOfUUIDs("managed")),
                row.getBoolean("start"),
                row.getBoolean("equipped"));
    }

    private record PgHeld(SqlConnection connection, OpenImport about) implements Held {

        @Override
        public Future<Void> equipped() {
            return connection
                    .preparedQuery(EQUIPPED)
                    .execute(Tuple.of(about.id()))
                    .mapEmpty();
        }

        @Override
        public Future<Void> end() {
            return connection
                    .preparedQuery(DELETE)
                    .execute(Tuple.of(about.id()))
                    .eventually(this::leave)
                    .mapEmpty();
        }

        @Override
        public Future<Void> leave() {
            return unlock(connection, about.id());
        }
    }
}
