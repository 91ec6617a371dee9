package ai.molecule.cli.embedded;

import ai.molecule.cli.LaunchFailure;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;

/** The first connection to a started server: proves the password and makes the platform's database. */
final class PostgresDatabase {

    private static final String WRONG_PASSWORD = "28P01";

    private PostgresDatabase() {}

    static void createIfMissing(PostgresServer server) {
        var properties = new Properties();
        properties.setProperty("user", PostgresServer.USER);
        properties.setProperty("password", server.password());
        properties.setProperty("connectTimeout", "10");
        properties.setProperty("socketTimeout", "60");
        String url = "jdbc:postgresql://127.0.0.1:%d/postgres".formatted(server.port());
        try (var connection = DriverManager.getConnection(url, properties);
                var statement = connection.createStatement()) {
            String known = "SELECT 1 FROM pg_database WHERE datname = '" + PostgresServer.DATABASE + "'";
            boolean exists;
            try (var rows = statement.executeQuery(known)) {
                exists = rows.next();
            }
            if (!exists) {
                statement.execute("CREATE DATABASE " + PostgresServer.DATABASE);
            }
        } catch (SQLException e) {
            if (WRONG_PASSWORD.equals(e.getSQLState())) {
                throw LaunchFailure.usersTurn("The password in the data folder's secrets does not open its database;"
                        + " restore secrets/postgres-password, or start over in another folder with --data.");
            }
            throw LaunchFailure.broken("The embedded PostgreSQL refused its first connection: " + e.getMessage(), e);
        }
    }
}
