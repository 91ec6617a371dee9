import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * {@code java -cp <driver> Reconnect.java <events-port> <postgres-port> <password-file> <clients> <missed>}: clients that all come
 * back at once, each having missed up to so many events, until the last of them has what it missed.
 */
class Reconnect {

    static final int WARM_UP = 2000;

    public static void main(String[] args) throws Exception {
        int port = Integer.parseInt(args[0]);
        var url = "jdbc:postgresql://127.0.0.1:" + args[1] + "/molecule";
        var password = Files.readString(Path.of(args[2])).strip();
        int clients = Integer.parseInt(args[3]);
        int missed = Integer.parseInt(args[4]);
        try (var connection = DriverManager.getConnection(url, "molecule", password)) {
            long last = append(connection, missed);
            round(connection, port, WARM_UP, last, missed, "warm-up: ");
            append(connection, 1); // what the warm-up left in memory is not all there is
            round(connection, port, clients, last + 1, missed, "");
        }
    }

    static void round(Connection connection, int port, int clients, long last, int missed, String name) throws Exception {
        var random = new Random(7);
        var due = new int[clients];
        long total = 0;
        for (int i = 0; i < clients; i++) {
            due[i] = 1 + random.nextInt(missed);
            total += due[i];
        }
        var left = new int[] {clients};
        var tooMany = new int[1];
        var served = new CountDownLatch(1);
        try (var sockets = new Sockets()) {
            sockets.listen((client, bytes, from, to) -> {
                if (--due[client] == 0 && --left[0] == 0) {
                    served.countDown();
                } else if (due[client] < 0) {
                    tooMany[0]++;
                }
            });
            var since = due.clone();
            long before = transactions(connection);
            long began = System.nanoTime();
            sockets.open(port, clients, i -> "/ws?since=" + (last - since[i]));
            double connected = (System.nanoTime() - began) / 1e9;
            boolean all = served.await(60, TimeUnit.SECONDS);
            double took = (System.nanoTime() - began) / 1e9;
            Thread.sleep(1500); // PostgreSQL tells its counts every second
            System.out.printf(
                    "%s%d clients came back at once, %d events missed in all: connected in %.1f s, all served in %.1f s (%s), events too many: %d, transactions of the whole platform meanwhile: %d%n",
                    name, clients, total, connected, took, all ? "complete" : left[0] + " not", tooMany[0], transactions(connection) - before);
        }
    }

    static long append(Connection connection, int count) throws Exception {
        try (var statement = connection.createStatement()) {
            statement.execute("SELECT log.append('BENCHMARK', NULL, '{\"text\":\"what a change of this kind usually tells\"}')"
                    + " FROM generate_series(1, " + count + ")");
            for (int i = 0; i < 200; i++) {
                try (var row = statement.executeQuery("SELECT max(seq), count(*) FILTER (WHERE seq IS NULL) FROM log.events")) {
                    row.next();
                    if (row.getLong(2) == 0) {
                        Thread.sleep(1000); // the hub follows
                        return row.getLong(1);
                    }
                }
                Thread.sleep(50);
            }
        }
        throw new IllegalStateException("events are not being numbered");
    }

    static long transactions(Connection connection) throws Exception {
        try (var statement = connection.createStatement();
                var row = statement.executeQuery("SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()")) {
            row.next();
            return row.getLong(1);
        }
    }
}
