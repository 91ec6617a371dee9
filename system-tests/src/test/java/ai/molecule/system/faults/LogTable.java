package ai.molecule.system.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.system.Platform;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** The event log as PostgreSQL has it: what every subscriber's stream is compared with. */
final class LogTable {

    private final String url;

    private LogTable(String url) {
        this.url = url;
    }

    /** Of a platform with a PostgreSQL of its own. */
    static LogTable of(Platform platform) throws IOException {
        var secret = platform.data().resolve("secrets/postgres-password");
        int port = Platform.JSON
                .readTree(platform.data().resolve("run.json").toFile())
                .findValue("postgres")
                .get("port")
                .asInt();
        return new LogTable("jdbc:postgresql://127.0.0.1:%d/molecule?user=molecule&password=%s"
                .formatted(port, Files.readString(secret).strip()));
    }

    /** @param databaseUrl as the services take it */
    static LogTable at(String databaseUrl) {
        var uri = URI.create(databaseUrl);
        String[] user = uri.getUserInfo().split(":");
        return new LogTable("jdbc:postgresql://%s:%d%s?user=%s&password=%s"
                .formatted(uri.getHost(), uri.getPort(), uri.getPath(), user[0], user[1]));
    }

    Connection connect() throws SQLException {
        return DriverManager.getConnection(url);
    }

    /** Appends as the services do, in the transaction of {@code connection}. */
    static void append(Connection connection, String type, String text) throws SQLException {
        try (var append =
                connection.prepareStatement("SELECT log.append(?, NULL, jsonb_build_object('text', ?::text))")) {
            append.setString(1, type);
            append.setString(2, text);
            append.execute();
        }
    }

    /** Until every follower has exactly what the table has: everything, in order, once. */
    void awaitFollowed(Follower... followers) {
        await().untilAsserted(() -> {
            var rows = rows();
            for (var follower : followers) {
                assertThat(follower.recorded()).isEqualTo(rows);
            }
        });
    }

    /** Position, type and workspace of each numbered row; fails while one has no number yet. */
    List<String> rows() throws SQLException {
        List<String> rows = new ArrayList<>();
        try (var connection = connect();
                var statement = connection.createStatement();
                var row = statement.executeQuery(
                        "SELECT seq, event_type, coalesce(workspace_id::text, '') FROM log.events ORDER BY seq")) {
            while (row.next()) {
                rows.add("%s %s %s".formatted(row.getString(1), row.getString(2), row.getString(3)));
            }
        }
        assertThat(rows).noneMatch(row -> row.startsWith("null"));
        return rows;
    }

    /** A subscriber's event as {@link #rows} lists it. */
    static String row(JsonNode event) {
        return "%d %s %s"
                .formatted(
                        event.get("seq").asLong(),
                        event.get("event").asText(),
                        event.get("workspace_id").asText());
    }
}
