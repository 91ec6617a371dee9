package ai.molecule.provisioner.imports;

import ai.molecule.common.db.Postgres;
import ai.molecule.common.db.Sql;
import ai.molecule.provisioner.imports.ImportKey.Receipt;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The table {@code imports} (db/provisioner): imports that are not finished, so that one a crash cut short is known to whoever comes
 * after, and for a day those that are, for whoever asks again with their key. One that is held keeps a connection of its own.
 *
 * @param own imports that go on here: an outage ends their locks with their connections, and not them
 */
public record PgImportStore(Pool pool, Set<UUID> own) {

    public PgImportStore(Pool pool) {
        this(pool, ConcurrentHashMap.newKeySet());
    }

    /** The most that one {@link #list} answers. */
    public static final int LIST_MAX = 100;

    /** A session lock: it ends with its connection, so a provisioner that died holds nothing. */
    private static final String TRY_LOCK = "SELECT pg_try_advisory_lock(hashtextextended('import.' || $1::text, 0))";

    private static final String UNLOCK = "SELECT pg_advisory_unlock(hashtextextended('import.' || $1::text, 0))";

    private static final String FORGET = "DELETE FROM imports WHERE ended_at < now() - interval '1 day'";

    /** Under its lock, which is taken first: no row is ever seen that nobody holds while its import goes on. */
    private static final String INSERT = """
            INSERT INTO imports (id, roots, managed, start, key, digest, answer) VALUES ($1, $2, $3, $4, $5, $6, $7::text::jsonb)
            """;

    private static final String EQUIPPED = "UPDATE imports SET equipped = true WHERE id = $1";

    private static final String END = """
            UPDATE imports SET ended_at = now(),
                answer = CASE WHEN $2::text IS NULL THEN answer ELSE answer || jsonb_build_object('error', $2::text) END
            WHERE id = $1
            """;

    private static final String DROP = "DELETE FROM imports WHERE id = $1";

    private static final String LIST = "SELECT id FROM imports WHERE ended_at IS NULL ORDER BY created_at LIMIT $1";

    private static final String FIND =
            "SELECT id, roots, managed, start, equipped FROM imports WHERE id = $1 AND ended_at IS NULL";

    private static final String KNOWN =
            "SELECT digest, ended_at IS NOT NULL AS ended, answer::text AS answer FROM imports WHERE key = $1";

    /**
     * Records it and holds it. As long as this process lives, nobody else takes it up.
     *
     * @param receipt for whoever asks again, if they can; fails with CONFLICT when one with its key is there already
     */
    Future<Held> begin(OpenImport started, Optional<Receipt> receipt) {
        var row = Tuple.tuple()
                .addUUID(started.id())
                .addValue(started.roots().toArray(UUID[]::new))
                .addValue(started.managed().toArray(UUID[]::new))
                .addBoolean(started.start())
                .addString(receipt.map(each -> each.key().key()).orElse(null))
                .addString(receipt.map(each -> each.key().digest()).orElse(null))
                .addString(receipt.map(Receipt::answer).orElse(null));
        own.add(started.id());
        return pool.getConnection()
                .compose(connection -> lock(connection, started.id())
                        .compose(locked -> connection.query(FORGET).execute())
                        .compose(forgotten -> connection.preparedQuery(INSERT).execute(row))
                        .map(inserted -> new Held(connection, started, own))
                        .onFailure(failure -> unlock(connection, started.id())))
                .onFailure(failure -> own.remove(started.id()))
                .recover(failure ->
                        Future.failedFuture(Postgres.isUniqueViolation(failure) ? ImportKey.underWay() : failure));
    }

    /** What became of the one with this key; empty when there is none. */
    Future<Optional<ImportKey.Known>> known(String key) {
        return Sql.of(pool)
                .find(
                        KNOWN,
                        Tuple.of(key),
                        row -> new ImportKey.Known(
                                row.getString("digest"), row.getBoolean("ended"), row.getString("answer")));
    }

    /** Every unfinished one, oldest first, held or not. */
    Future<List<UUID>> list() {
        return Sql.of(pool).list(LIST, Tuple.of(LIST_MAX), row -> row.getUUID("id"));
    }

    /** Holds one that a crash cut short; empty when somebody works on it, or it is finished meanwhile. */
    Future<Optional<Held>> take(UUID id) {
        if (!own.add(id)) {
            return Future.succeededFuture(Optional.empty());
        }
        return pool.getConnection()
                .compose(connection -> lock(connection, id)
                        .compose(locked -> locked
                                ? held(connection, id)
                                : connection.close().map(Optional.<Held>empty()))
                        .onFailure(failure -> unlock(connection, id)))
                .onSuccess(held -> {
                    if (held.isEmpty()) {
                        own.remove(id);
                    }
                })
                .onFailure(failure -> own.remove(id));
    }

    private Future<Optional<Held>> held(SqlConnection connection, UUID id) {
        return Sql.of(connection)
                .find(FIND, Tuple.of(id), row -> new Held(connection, toImport(row), own))
                .compose(found -> found.isEmpty() ? unlock(connection, id).map(found) : Future.succeededFuture(found));
    }

    private static Future<Boolean> lock(SqlConnection connection, UUID id) {
        return Sql.of(connection).get(TRY_LOCK, Tuple.of(id.toString()), row -> row.getBoolean(0));
    }

    private static Future<Void> unlock(SqlConnection connection, UUID id) {
        return Sql.of(connection).run(UNLOCK, Tuple.of(id.toString())).eventually(connection::close);
    }

    private static OpenImport toImport(Row row) {
        return new OpenImport(
                row.getUUID("id"),
                List.of(row.getArrayOfUUIDs("roots")),
                List.of(row.getArrayOfUUIDs("managed")),
                row.getBoolean("start"),
                row.getBoolean("equipped"));
    }

    /** An import that nobody else works on. Exactly one of {@link #end}, {@link #drop} and {@link #leave} gives it up. */
    record Held(SqlConnection connection, OpenImport about, Set<UUID> own) {

        /** All files are written. */
        Future<Void> equipped() {
            return Sql.of(connection).run(EQUIPPED, Tuple.of(about.id()));
        }

        /** Nothing is left to do. @param error what went wrong although everything was created */
        Future<Void> end(Optional<String> error) {
            return Sql.of(connection)
                    .run(END, Tuple.of(about.id(), error.orElse(null)))
                    .eventually(this::leave);
        }

        /** Nothing came of it: asked for again, it begins anew. */
        Future<Void> drop() {
            return Sql.of(connection).run(DROP, Tuple.of(about.id())).eventually(this::leave);
        }

        /** Gives it up unfinished: somebody else will look at what is left to do. */
        Future<Void> leave() {
            own.remove(about.id());
            return unlock(connection, about.id());
        }
    }
}
