package ai.molecule.cli.backup;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.backup.Manifest.Partition;
import ai.molecule.cli.backup.Manifest.Table;
import ai.molecule.common.db.Postgres;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.flywaydb.core.api.FlywayException;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

/**
 * Tables of a backup on their way into a database in which there are none: its migrations run up to those of the backup, then all rows come
 * in one transaction, without triggers and foreign keys, which what they would do has been done. Newer migrations run at the next start.
 */
final class DatabaseLoad implements AutoCloseable {

    private static final String OCCUPIED =
            "SELECT count(*) FROM information_schema.tables WHERE table_schema = ANY (?)";

    private static final String FOREIGN_KEYS = """
            SELECT format('%I.%I', n.nspname, t.relname), c.conname, pg_get_constraintdef(c.oid)
            FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid JOIN pg_namespace n ON n.oid = t.relnamespace
            WHERE c.contype = 'f' AND c.conparentid = 0 AND n.nspname = ANY (?)
            """;

    private record ForeignKey(String table, String name, String definition) {

        String dropped() {
            return "ALTER TABLE %s DROP CONSTRAINT %s".formatted(table, Manifest.quote(name));
        }

        String added() {
            return "ALTER TABLE %s ADD CONSTRAINT %s %s".formatted(table, Manifest.quote(name), definition);
        }
    }

    private final Manifest manifest;
    private final Connection connection;
    private final StandstillWatch watch;
    private final Map<String, Table> tables;
    private final Map<String, Long> loaded = new HashMap<>();
    private final List<ForeignKey> foreignKeys = new ArrayList<>();
    private @Nullable CopyIn copying;
    private String copied = "";

    private DatabaseLoad(Manifest manifest, Connection connection) {
        this.manifest = manifest;
        this.connection = connection;
        this.watch = new StandstillWatch(connection, PlatformDatabase.LOAD_SILENCE_MAX);
        this.tables = manifest.tables().stream()
                .collect(Collectors.toMap(table -> table.schema() + "." + table.name(), table -> table));
    }

    /** @throws LaunchFailure when there are tables of a platform, or a migration of the backup is not known here */
    static DatabaseLoad begin(Manifest manifest, String databaseUrl, Interruption interruption)
            throws SQLException, IOException {
        try (var looking = Postgres.connect(databaseUrl)) {
            requireEmpty(looking);
        }
        try {
            for (String schema : DatabaseCopy.SCHEMAS) {
                interruption.requireNone();
                String version = manifest.schemas().get(schema);
                if (version != null) {
                    Postgres.migrate(databaseUrl, schema, version);
                }
            }
        } catch (FlywayException e) {
            throw LaunchFailure.usersTurn(
                    "This backup was written by Molecule %s, which has tables that this one does not know; restore it with that."
                            .formatted(manifest.molecule()));
        }
        var connection = Postgres.connect(databaseUrl);
        try {
            interruption.cutsOff(() -> connection.abort(Runnable::run));
            connection.setAutoCommit(false);
            var load = new DatabaseLoad(manifest, connection);
            load.prepare();
            return load;
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    private static void requireEmpty(Connection connection) throws SQLException {
        try (var asked = connection.prepareStatement(OCCUPIED)) {
            asked.setArray(1, connection.createArrayOf("text", DatabaseCopy.SCHEMAS.toArray()));
            try (var rows = asked.executeQuery()) {
                rows.next();
                if (rows.getLong(1) > 0) {
                    throw LaunchFailure.usersTurn("There is a platform in this database already; name an empty one.");
                }
            }
        }
    }

    private void prepare() throws SQLException {
        execute(DatabaseCopy.WITHOUT_LIMITS);
        try (var asked = connection.prepareStatement(FOREIGN_KEYS)) {
            asked.setArray(1, connection.createArrayOf("text", DatabaseCopy.SCHEMAS.toArray()));
            try (var rows = asked.executeQuery()) {
                while (rows.next()) {
                    foreignKeys.add(new ForeignKey(rows.getString(1), rows.getString(2), rows.getString(3)));
                }
            }
        }
        for (var key : foreignKeys) {
            execute(key.dropped());
        }
        for (var partition : manifest.partitions()) {
            addPartition(partition);
        }
        for (var table : manifest.tables()) {
            execute("ALTER TABLE %s DISABLE TRIGGER USER".formatted(table.quoted()));
        }
        // Migrations lay rows too; those of the backup are what became of them.
        execute("TRUNCATE " + manifest.tables().stream().map(Table::quoted).collect(Collectors.joining(", ")));
    }

    private void addPartition(Partition partition) throws SQLException {
        execute("CREATE TABLE IF NOT EXISTS %s.%s PARTITION OF %s.%s %s"
                .formatted(
                        Manifest.quote(partition.schema()),
                        Manifest.quote(partition.name()),
                        Manifest.quote(partition.schema()),
                        Manifest.quote(partition.parent()),
                        partition.bound()));
    }

    /** @param name {@code <schema>.<table>}, whose parts come one after the other */
    void part(String name, InputStream content) throws SQLException, IOException {
        if (!name.equals(copied)) {
            endTable();
            var table = tables.get(name);
            if (table == null) {
                throw new IOException("rows of a table that its manifest does not name: " + name);
            }
            copying = connection
                    .unwrap(PGConnection.class)
                    .getCopyAPI()
                    .copyIn("COPY %s (%s) FROM STDIN".formatted(table.quoted(), table.columnList()));
            copied = name;
        }
        var chunk = new byte[1 << 16];
        for (int read = content.read(chunk); read >= 0; read = content.read(chunk)) {
            if (copying != null && read > 0) {
                copying.writeToCopy(chunk, 0, read);
                watch.moved();
            }
        }
    }

    private void endTable() throws SQLException {
        if (copying != null) {
            loaded.put(copied, copying.endCopy());
            copying = null;
        }
    }

    /** @param ends {@code database.json}: what must have come, and where sequences go on */
    void finishTables(JsonObject ends) throws SQLException, IOException {
        endTable();
        for (var expected : ends.getJsonObject("rows")) {
            long wanted = ((Number) expected.getValue()).longValue();
            if (loaded.getOrDefault(expected.getKey(), 0L) != wanted) {
                throw new IOException("%s rows of %s instead of %d"
                        .formatted(loaded.getOrDefault(expected.getKey(), 0L), expected.getKey(), wanted));
            }
        }
        for (var sequence : ends.getJsonObject("sequences")) {
            String[] name = sequence.getKey().split("\\.", 2);
            try (var set = connection.prepareStatement("SELECT setval(format('%I.%I', ?, ?)::regclass, ?)")) {
                set.setString(1, name[0]);
                set.setString(2, name[1]);
                set.setLong(3, ((Number) sequence.getValue()).longValue());
                set.execute();
            }
        }
        for (var table : manifest.tables()) {
            execute("ALTER TABLE %s ENABLE TRIGGER USER".formatted(table.quoted()));
        }
        for (var key : foreignKeys) {
            execute(key.added());
        }
    }

    void commit() throws SQLException {
        connection.commit();
        connection.setAutoCommit(true);
        execute("ANALYZE"); // otherwise the first queries are planned for empty tables
    }

    long rows() {
        return loaded.values().stream().mapToLong(Long::longValue).sum();
    }

    private void execute(String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(sql);
        }
        watch.moved();
    }

    /** What was not committed is gone. */
    @Override
    public void close() throws SQLException {
        watch.close();
        connection.close();
    }
}
