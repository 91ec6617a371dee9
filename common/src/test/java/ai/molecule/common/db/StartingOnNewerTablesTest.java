package ai.molecule.common.db;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.testing.TestStores;
import java.sql.SQLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tables that the next version has migrated, under services of this one: the way back (docs/upgrades.md). */
@Tag("stores")
class StartingOnNewerTablesTest {

    @Test
    void a_service_starts_on_tables_of_the_next_version_and_changes_nothing() throws SQLException {
        String url = TestStores.freshDatabase();
        Postgres.migrate(url, "log", "latest");
        try (var connection = Postgres.connect(url);
                var statement = connection.createStatement()) {
            statement.execute("""
                    INSERT INTO log.flyway_schema_history (installed_rank, version, description, type, script, checksum, installed_by,
                        execution_time, success)
                    SELECT max(installed_rank) + 1, '9999', 'of the next version', 'SQL', 'V9999__next.sql', 1, 'next', 1, true
                    FROM log.flyway_schema_history
                    """);
        }

        Postgres.migrate(url, "log", "latest");

        try (var connection = Postgres.connect(url);
                var statement = connection.createStatement();
                var newest = statement.executeQuery(
                        "SELECT version FROM log.flyway_schema_history ORDER BY installed_rank DESC LIMIT 1")) {
            assertThat(newest.next()).isTrue();
            assertThat(newest.getString(1)).isEqualTo("9999");
        }
    }
}
