import java.sql.DriverManager;

/** {@code java -cp <driver> Sleepers.java <port> <password-file> <count>}: so many agents of ours that fell asleep, as rows. */
class Sleepers {

    public static void main(String[] args) throws Exception {
        var password = java.nio.file.Files.readString(java.nio.file.Path.of(args[1])).strip();
        var url = "jdbc:postgresql://127.0.0.1:" + args[0] + "/molecule";
        try (var connection = DriverManager.getConnection(url, "molecule", password);
                var statement = connection.createStatement()) {
            statement.execute("""
                    WITH made AS (
                        INSERT INTO registry.workspaces (id, name, tier, runtime, managed, awareness_namespace, status, desired, status_since,
                            created_at, updated_at)
                        SELECT gen_random_uuid(), 'Sleeper ' || n, 2, 'echo', true, '', 'hibernated', 'sleeping', now(), now(), now()
                        FROM generate_series(1, %1$d) AS n RETURNING id
                    ), quiet AS (
                        INSERT INTO registry.heartbeats (workspace_id, last_heartbeat_at, asleep)
                        SELECT id, now() - interval '1 hour', true FROM made
                    )
                    INSERT INTO provisioner.instances (workspace_id, incarnation, state, port, updated_at)
                    SELECT id, 1, 'stopped', NULL, now() FROM made
                    """.formatted(Integer.parseInt(args[2])));
            statement.execute("ANALYZE registry.workspaces, registry.heartbeats, provisioner.instances");
        }
    }
}
