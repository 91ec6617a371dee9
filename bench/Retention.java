import ai.molecule.common.db.Postgres;
import ai.molecule.events.activity.ActivityRetention;
import ai.molecule.events.activity.PgActivityDayStore;
import io.vertx.core.Vertx;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.time.Clock;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.concurrent.Executors;

/**
 * {@code java -cp <platform> Retention.java <events-port> <postgres-port> <password-file> <agents-file> <rows>}: drops a day of so many
 * rows with the platform's own reconciler, while an agent goes on reporting what it does.
 */
class Retention {

    static final int DAYS = 7;

    public static void main(String[] args) throws Exception {
        var password = Files.readString(Path.of(args[2])).strip();
        var agent = Files.readAllLines(Path.of(args[3])).getFirst().split(" ");
        long rows = Long.parseLong(args[4]);
        var day = LocalDate.now(ZoneOffset.UTC).minusDays(DAYS + 1);
        fill("jdbc:postgresql://127.0.0.1:" + args[1] + "/molecule", password, day, rows);
        var vertx = Vertx.vertx();
        var pool = Postgres.pool(vertx, "postgres://molecule:" + password + "@127.0.0.1:" + args[1] + "/molecule", "events");
        var retention = new ActivityRetention(new PgActivityDayStore(pool, 256L << 20), Clock.systemUTC(), DAYS);
        try (var http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 300; i++) {
                report(http, args[0], agent);
            }
            var stop = new java.util.concurrent.atomic.AtomicBoolean();
            var writing = threads.submit(() -> {
                var micros = new ArrayList<Long>();
                while (!stop.get()) {
                    micros.add(report(http, args[0], agent));
                }
                return micros;
            });
            Thread.sleep(1000);
            long began = System.nanoTime();
            retention.run().await();
            double took = (System.nanoTime() - began) / 1e9;
            Thread.sleep(1000);
            stop.set(true);
            var micros = writing.get();
            Collections.sort(micros);
            System.out.printf(
                    "a day of %d rows dropped in %.2f s; %d reports meanwhile, each stored: median %.1f ms, slowest %.1f ms%n",
                    rows, took, micros.size(), micros.get(micros.size() / 2) / 1e3, micros.getLast() / 1e3);
        }
        vertx.close().await();
    }

    /** A partition as the platform makes them; its indexes are built when it is attached, which is quicker. */
    static void fill(String url, String password, LocalDate day, long rows) throws Exception {
        var table = "activity_" + day.toString().replace("-", "");
        long began = System.nanoTime();
        try (var connection = DriverManager.getConnection(url, "molecule", password);
                var statement = connection.createStatement()) {
            statement.execute("SET search_path = log");
            statement.execute("CREATE TABLE " + table + " (LIKE activity INCLUDING DEFAULTS INCLUDING CONSTRAINTS)");
            statement.execute("INSERT INTO " + table + " (id, day, workspace_id, activity_type, method, summary, created_at)"
                    + " SELECT gen_random_uuid(), '" + day + "', gen_random_uuid(), 'agent_log', 'log', 'row ' || n , '" + day + "'::timestamptz + n * interval '10 ms'"
                    + " FROM generate_series(1, " + rows + ") AS n");
            statement.execute("ALTER TABLE activity ATTACH PARTITION " + table + " FOR VALUES IN ('" + day + "')");
            try (var size = statement.executeQuery("SELECT pg_size_pretty(pg_total_relation_size('" + table + "')), (SELECT count(*) FROM " + table + ")")) {
                size.next();
                System.out.printf("%d rows of one day, %s with indexes, made in %.0f s%n", size.getLong(2), size.getString(1), (System.nanoTime() - began) / 1e9);
            }
        }
    }

    static long report(HttpClient http, String port, String[] agent) throws Exception {
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/workspaces/" + agent[0] + "/activity"))
                .header("Content-Type", "application/json")
                .header("Authorization", "Bearer " + agent[1])
                .POST(BodyPublishers.ofString("{\"activity_type\":\"agent_log\",\"summary\":\"still at it\"}"))
                .build();
        long sent = System.nanoTime();
        var answer = http.send(request, BodyHandlers.ofString());
        if (answer.statusCode() != 200) {
            throw new IllegalStateException(answer.statusCode() + " " + answer.body());
        }
        return (System.nanoTime() - sent) / 1000;
    }
}
