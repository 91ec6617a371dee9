package ai.molecule.cli.embedded;

import ai.molecule.cli.LaunchFailure;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Properties;

/**
 * The first connections to a started server: they prove the password, and make the platform's role and its database. The platform
 * is no superuser: a mistake in its SQL reads no file and runs no program.
 */
final class PostgresDatabase {

    private static final String WRONG_PASSWORD = "28P01";

    /** Written by a Molecule that was a superuser; the role that made the cluster can never be made an ordinary one. */
    private static final String HAND_OVER = """
            DO $$
            DECLARE statement text;
            BEGIN
                FOR statement IN
                    SELECT format('ALTER SCHEMA %%I OWNER TO %1$s', nspname) FROM pg_namespace
                    WHERE nspname IN ('log', 'registry', 'proxy', 'events', 'provisioner')
                    UNION ALL
                    SELECT format('ALTER TABLE %%I.%%I OWNER TO %1$s', nspname, relname)
                    FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
                    WHERE nspname IN ('log', 'registry', 'proxy', 'events', 'provisioner') AND relkind IN ('r', 'p', 'v', 'm')
                    UNION ALL
                    SELECT format('ALTER SEQUENCE %%I.%%I OWNER TO %1$s', nspname, relname)
                    FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
                    WHERE nspname IN ('log', 'registry', 'proxy', 'events', 'provisioner') AND relkind = 'S'
                      AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE objid = pg_class.oid AND deptype IN ('a', 'i'))
                    UNION ALL
                    SELECT format('ALTER ROUTINE %%s OWNER TO %1$s', pg_proc.oid::regprocedure)
                    FROM pg_proc JOIN pg_namespace ON pg_namespace.oid = pronamespace
                    WHERE nspname IN ('log', 'registry', 'proxy', 'events', 'provisioner')
                LOOP
                    EXECUTE statement;
                END LOOP;
                EXECUTE 'ALTER DATABASE %2$s OWNER TO %1$s';
            END $$
            """.formatted(PostgresServer.USER, PostgresServer.DATABASE);

    /** Each has a role of its own for its statements, as docker/postgres-roles.sql makes them. */
    private static final List<String> SERVICES = List.of("registry", "proxy", "events", "provisioner");

    private PostgresDatabase() {}

    static void prepare(PostgresServer server) {
        try (var connection = asSuperuser(server, "postgres")) {
            if (!exists(connection, "SELECT 1 FROM pg_roles WHERE rolname = '%s'".formatted(PostgresServer.USER))) {
                execute(
                        connection,
                        "CREATE ROLE %s LOGIN NOSUPERUSER NOCREATEROLE PASSWORD '%s'"
                                .formatted(
                                        PostgresServer.USER, server.password().replace("'", "''")));
            }
            for (String service : SERVICES) {
                String role = PostgresServer.USER + "_" + service;
                if (!exists(connection, "SELECT 1 FROM pg_roles WHERE rolname = '%s'".formatted(role))) {
                    execute(connection, "CREATE ROLE %s NOLOGIN".formatted(role));
                    execute(connection, "GRANT %s TO %s".formatted(role, PostgresServer.USER));
                }
            }
            String database = "SELECT 1 FROM pg_database WHERE datname = '%s'".formatted(PostgresServer.DATABASE);
            if (!exists(connection, database)) {
                execute(
                        connection,
                        "CREATE DATABASE %s OWNER %s".formatted(PostgresServer.DATABASE, PostgresServer.USER));
            } else if (!exists(
                    connection, database + " AND pg_get_userbyid(datdba) = '%s'".formatted(PostgresServer.USER))) {
                handOver(server);
            }
        } catch (SQLException e) {
            if (WRONG_PASSWORD.equals(e.getSQLState())) {
                throw LaunchFailure.usersTurn("The password in the data folder's secrets does not open its database;"
                        + " restore secrets/postgres-password, or start over in another folder with --data.");
            }
            throw LaunchFailure.broken("The embedded PostgreSQL refused its first connection: " + e.getMessage(), e);
        }
    }

    /** One statement, so all of it or nothing; the database's owner changes last and says that it was done. */
    private static void handOver(PostgresServer server) throws SQLException {
        try (var connection = asSuperuser(server, PostgresServer.DATABASE)) {
            execute(connection, HAND_OVER);
        }
    }

    private static Connection asSuperuser(PostgresServer server, String database) throws SQLException {
        var properties = new Properties();
        properties.setProperty("user", PostgresServer.SUPERUSER);
        properties.setProperty("password", server.password());
        properties.setProperty("connectTimeout", "10");
        properties.setProperty("socketTimeout", "60");
        server.jdbc().forEach(properties::setProperty);
        return DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:%d/%s".formatted(server.port(), database), properties);
    }

    private static boolean exists(Connection connection, String query) throws SQLException {
        try (var statement = connection.createStatement();
                var rows = statement.executeQuery(query)) {
            return rows.next();
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
