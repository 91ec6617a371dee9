import java.sql.DriverManager;

/** {@code java -cp <driver> Clocks.java <port> <password-file> <count>}: so many schedules, none of which is due today, as rows. */
class Clocks {

    public static void main(String[] args) throws Exception {
        var password = java.nio.file.Files.readString(java.nio.file.Path.of(args[1])).strip();
        var url = "jdbc:postgresql://127.0.0.1:" + args[0] + "/molecule";
        try (var connection = DriverManager.getConnection(url, "molecule", password);
                var statement = connection.createStatement()) {
            statement.execute("""
                    INSERT INTO proxy.schedules (id, workspace_id, name, expression, timezone, prompt, enabled, missed, missed_window_seconds,
                        overlap, jitter_seconds, source, anchor, next_run_at, due_at, created_at, updated_at)
                    SELECT gen_random_uuid(), gen_random_uuid(), 'Schedule ' || n, '@yearly', 'UTC', 'go on', true, 'once', 43200, 'skip', 0,
                        'runtime', now(), at, at, now(), now()
                    FROM (SELECT n, now() + interval '2 days' + n * interval '1 second' AS at FROM generate_series(1, %d) AS n) AS made
                    """.formatted(Integer.parseInt(args[2])));
            statement.execute("ANALYZE proxy.schedules");
        }
    }
}
