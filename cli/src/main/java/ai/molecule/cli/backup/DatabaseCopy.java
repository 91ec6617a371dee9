package ai.molecule.cli.backup;

import ai.molecule.cli.backup.Manifest.Partition;
import ai.molecule.cli.backup.Manifest.Table;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.sql.Array;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SequencedMap;
import java.util.TreeMap;
import org.postgresql.PGConnection;

/**
 * The platform's tables as they were at one moment: all is read in one transaction that sees what was committed when it began, so nothing
 * that was acknowledged before is missing, and nobody waits for it. What is not logged (limits, tickets) is left out, and so are computed
 * columns. Works as the database's owner, on any PostgreSQL.
 */
final class DatabaseCopy {

    /** In the order in which they are made: the log belongs to all. */
    static final List<String> SCHEMAS = List.of("log", "registry", "proxy", "events", "provisioner");

    /** Servers may end what runs long; this takes as long as its rows. Older ones do not have all three. */
    static final String WITHOUT_LIMITS = """
            SELECT set_config(name, '0', false) FROM pg_settings
            WHERE name IN ('statement_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout')
            """;

    private static final String MIGRATIONS = "flyway_schema_history";

    private static final String TABLES = """
            SELECT n.nspname, c.relname, array_agg(a.attname::text ORDER BY a.attnum)
            FROM pg_class c
            JOIN pg_namespace n ON n.oid = c.relnamespace
            JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
            WHERE n.nspname = ANY (?) AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relpersistence = 'p' AND c.relname <> ?
            GROUP BY n.nspname, c.relname
            ORDER BY array_position(?, n.nspname::text), c.relname
            """;

    private static final String PARTITIONS = """
            SELECT n.nspname, c.relname, p.relname, pg_get_expr(c.relpartbound, c.oid)
            FROM pg_class c
            JOIN pg_namespace n ON n.oid = c.relnamespace
            JOIN pg_inherits i ON i.inhrelid = c.oid
            JOIN pg_class p ON p.oid = i.inhparent
            WHERE n.nspname = ANY (?) AND c.relispartition AND c.relkind = 'r'
            ORDER BY 1, 2
            """;

    private static final String SEQUENCES = """
            SELECT schemaname, sequencename, last_value FROM pg_sequences
            WHERE schemaname = ANY (?) AND last_value IS NOT NULL ORDER BY 1, 2
            """;

    private final Connection connection;

    private DatabaseCopy(Connection connection) {
        this.connection = connection;
    }

    /** @param connection is used for nothing else afterwards, and shall be closed */
    static DatabaseCopy begin(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        connection.setReadOnly(true);
        try (var statement = connection.createStatement()) {
            statement.execute(WITHOUT_LIMITS);
        }
        return new DatabaseCopy(connection);
    }

    /** ISO 8601, of this copy's transaction. */
    String moment() throws SQLException {
        try (var statement = connection.createStatement();
                var rows = statement.executeQuery(
                        "SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')")) {
            rows.next();
            return rows.getString(1);
        }
    }

    /** By schema its newest migration; one that is not there was never used. */
    SequencedMap<String, String> versions() throws SQLException {
        var versions = new TreeMap<String, String>();
        for (String schema : SCHEMAS) {
            try (var asked = connection.prepareStatement("SELECT to_regclass(?) IS NOT NULL")) {
                asked.setString(1, schema + "." + MIGRATIONS);
                try (var found = asked.executeQuery()) {
                    if (!found.next() || !found.getBoolean(1)) {
                        continue;
                    }
                }
            }
            try (var statement = connection.createStatement();
                    var newest = statement.executeQuery("""
                            SELECT version FROM %s.%s WHERE version IS NOT NULL AND success ORDER BY installed_rank DESC LIMIT 1
                            """.formatted(schema, MIGRATIONS))) {
                if (newest.next()) {
                    versions.put(schema, newest.getString(1));
                }
            }
        }
        return versions;
    }

    List<Table> tables() throws SQLException {
        var tables = new ArrayList<Table>();
        try (var asked = connection.prepareStatement(TABLES)) {
            asked.setArray(1, schemas());
            asked.setString(2, MIGRATIONS);
            asked.setArray(3, schemas());
            try (var rows = asked.executeQuery()) {
                while (rows.next()) {
                    tables.add(new Table(rows.getString(1), rows.getString(2), columns(rows)));
                }
            }
        }
        return tables;
    }

    private static List<String> columns(ResultSet row) throws SQLException {
        return Arrays.stream((Object[]) row.getArray(3).getArray())
                .map(String.class::cast)
                .toList();
    }

    List<Partition> partitions() throws SQLException {
        var partitions = new ArrayList<Partition>();
        try (var asked = connection.prepareStatement(PARTITIONS)) {
            asked.setArray(1, schemas());
            try (var rows = asked.executeQuery()) {
                while (rows.next()) {
                    partitions.add(
                            new Partition(rows.getString(1), rows.getString(2), rows.getString(3), rows.getString(4)));
                }
            }
        }
        return partitions;
    }

    /** Into {@code tables/<schema>.<name>/…}; answers the number of rows. */
    long rows(Table table, BackupWriter backup) throws SQLException, IOException {
        try (var out = backup.parts("tables/" + table.schema() + "." + table.name())) {
            return connection
                    .unwrap(PGConnection.class)
                    .getCopyAPI()
                    .copyOut("COPY (SELECT %s FROM %s) TO STDOUT".formatted(table.columnList(), table.quoted()), out);
        }
    }

    /**
     * By {@code schema.name} what was given out last. Asked after the rows: a sequence knows no transaction, and what it gives must be new to
     * every row that was copied.
     */
    JsonObject sequences() throws SQLException {
        var sequences = new JsonObject();
        try (var asked = connection.prepareStatement(SEQUENCES)) {
            asked.setArray(1, schemas());
            try (var rows = asked.executeQuery()) {
                while (rows.next()) {
                    sequences.put(rows.getString(1) + "." + rows.getString(2), rows.getLong(3));
                }
            }
        }
        return sequences;
    }

    private Array schemas() throws SQLException {
        return connection.createArrayOf("text", SCHEMAS.toArray());
    }
}
