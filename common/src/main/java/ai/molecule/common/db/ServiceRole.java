package ai.molecule.common.db;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/**
 * The role of one service's statements: {@code <owner>_<schema>}, such as {@code molecule_registry}, which whoever made the owner made
 * beside it and granted to it. It reaches its own schema, and of the log the functions that append, and what replicas count together; that
 * of events-service the whole log, which it shows. Where there is none the owner's serves.
 */
final class ServiceRole {

    private static final String FIND = """
            SELECT rolname FROM pg_roles
            WHERE rolname = current_user || '_' || ? AND pg_has_role(current_user, oid, 'MEMBER')
            """;

    private static final String MAY_USE = "SELECT has_schema_privilege(?, ?, 'USAGE')";

    /** Tables that come later are granted as they come; Flyway's own list is nobody's but the owner's to change. */
    private static final String ALL_OF = """
            GRANT USAGE ON SCHEMA %1$s TO %2$s;
            GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %1$s TO %2$s;
            GRANT USAGE, SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA %1$s TO %2$s;
            ALTER DEFAULT PRIVILEGES IN SCHEMA %1$s GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO %2$s;
            ALTER DEFAULT PRIVILEGES IN SCHEMA %1$s GRANT USAGE, SELECT, UPDATE ON SEQUENCES TO %2$s
            """;

    private static final String APPENDING = """
            GRANT SELECT, INSERT, UPDATE, DELETE ON log.rate_windows TO %2$s;
            GRANT USAGE ON SCHEMA %1$s TO %2$s
            """;

    private static final String LOG = "log";
    private static final String SHOWS_THE_LOG = "events";

    private ServiceRole() {}

    /**
     * Its name, when there is one. It may then use what it needs, migrations of both schemas having gone before.
     *
     * @param owner in a transaction, under a lock that lets one at a time do this
     */
    static Optional<String> prepare(Connection owner, String schema) throws SQLException {
        var found = find(owner, schema);
        if (found.isPresent()) {
            grant(owner, schema, found.get(), ALL_OF);
            grant(owner, LOG, found.get(), schema.equals(SHOWS_THE_LOG) ? ALL_OF : APPENDING);
        }
        return found;
    }

    private static Optional<String> find(Connection owner, String schema) throws SQLException {
        try (var statement = owner.prepareStatement(FIND)) {
            statement.setString(1, schema);
            try (var rows = statement.executeQuery()) {
                return rows.next() ? Optional.of(rows.getString(1)) : Optional.empty();
            }
        }
    }

    /** Once: the right to use the schema comes in the same transaction as all others. */
    private static void grant(Connection owner, String schema, String role, String rights) throws SQLException {
        try (var asked = owner.prepareStatement(MAY_USE)) {
            asked.setString(1, role);
            asked.setString(2, schema);
            try (var rows = asked.executeQuery()) {
                if (rows.next() && rows.getBoolean(1)) {
                    return;
                }
            }
        }
        try (var granting = owner.createStatement()) {
            granting.execute(rights.formatted(quoted(schema), quoted(role)));
        }
    }

    private static String quoted(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }
}
