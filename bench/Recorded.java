import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.Arrays;
import java.util.BitSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * {@code java -cp <driver> Recorded.java <events-port> <postgres-port> <password-file> <writers> <clients> <rate> <seconds>}: writers
 * append events at an even rate, each in a transaction of its own; from before the transaction to each of the canvases. Afterwards
 * the stream of each canvas is compared with the table. Ends with 1 when one of them is wrong.
 */
class Recorded {

    static final int WARM_UP_SECONDS = 8;

    /** Recorded events of others that may come between: agents that fall silent meanwhile, say. */
    static final int FOREIGN_MAX = 10_000;

    public static void main(String[] args) throws Exception {
        int port = Integer.parseInt(args[0]);
        var url = "jdbc:postgresql://127.0.0.1:" + args[1] + "/molecule";
        var password = Files.readString(Path.of(args[2])).strip();
        int writers = Integer.parseInt(args[3]);
        int clients = Integer.parseInt(args[4]);
        int rate = Integer.parseInt(args[5]);
        int seconds = Integer.parseInt(args[6]);
        int warmUp = WARM_UP_SECONDS * rate;
        int count = warmUp + seconds * rate;

        var begunNanos = new long[count]; // by number of the event
        var streams = new Stream[clients];
        Arrays.setAll(streams, i -> new Stream(count + FOREIGN_MAX));
        try (var connection = DriverManager.getConnection(url, "molecule", password);
                var sockets = new Sockets()) {
            long base = one(connection, "SELECT coalesce(max(seq), 0) FROM log.events");
            long start = System.nanoTime();
            sockets.listen((client, bytes, from, to) -> {
                long seq = position(bytes, to);
                if (seq > 0) { // others are heard of, too, and are not counted
                    streams[client].add((int) (seq - base), (int) ((System.nanoTime() - start) / 1000));
                }
            });
            sockets.open(port, clients, i -> "/ws");
            double took = write(url, password, writers, count, rate, begunNanos);
            while (one(connection, "SELECT count(*) FROM log.events WHERE seq IS NULL") > 0) {
                Thread.sleep(10);
            }
            long last = one(connection, "SELECT max(seq) FROM log.events WHERE event_type = 'BENCHMARK'");
            long deadline = System.nanoTime() + 20_000_000_000L;
            while (!Arrays.stream(streams).allMatch(stream -> stream.last >= last - base) && System.nanoTime() < deadline) {
                Thread.sleep(10);
            }

            var numbers = numbers(connection, base, last);
            var latencies = new int[clients * (count - warmUp)];
            var verdict = new Verdict();
            int n = 0;
            for (var stream : streams) {
                verdict.add(stream, numbers, count);
                for (int place = 0; place < stream.heard; place++) {
                    int number = stream.number(place, numbers);
                    if (number >= warmUp && n < latencies.length) {
                        latencies[n++] = stream.micros[place] - (int) ((begunNanos[number] - start) / 1000);
                    }
                }
            }
            Arrays.sort(latencies, 0, n);
            System.out.printf(
                    "%d recorded events by %d writers, %.0f/s (wanted %d/s), to %d canvases: from transaction to socket median %.1f ms, p99 %.1f ms, greatest %.0f ms%n",
                    count, writers, count / took, rate, clients, at(latencies, n, 0.5), at(latencies, n, 0.99), at(latencies, n, 1));
            System.out.println(verdict + "; sockets lost: " + sockets.lost.get());
            if (!verdict.good()) {
                System.exit(1);
            }
        }
    }

    /** Returns how many seconds it took. */
    static double write(String url, String password, int writers, int count, int rate, long[] begunNanos) throws Exception {
        long start = System.nanoTime() + 1_000_000_000L;
        var next = new AtomicLong();
        var threads = new Thread[writers];
        for (int w = 0; w < writers; w++) {
            threads[w] = Thread.ofPlatform().start(() -> {
                try (var connection = DriverManager.getConnection(url, "molecule", password);
                        var append = connection.prepareStatement("SELECT log.append('BENCHMARK', ?::uuid, ?::jsonb)")) {
                    append.setString(1, "11111111-2222-3333-4444-555555555555");
                    for (long n = next.getAndIncrement(); n < count; n = next.getAndIncrement()) {
                        long due = start + n * 1_000_000_000L / rate;
                        while (System.nanoTime() < due) {
                            LockSupport.parkNanos(due - System.nanoTime());
                        }
                        begunNanos[(int) n] = System.nanoTime();
                        append.setString(2, "{\"n\":" + n + ",\"text\":\"what a change of this kind usually tells\"}");
                        append.executeQuery();
                    }
                } catch (Exception e) {
                    e.printStackTrace();
                    System.exit(1);
                }
            });
        }
        for (var thread : threads) {
            thread.join();
        }
        return (System.nanoTime() - begunNanos[0]) / 1e9;
    }

    /** What the table says: which event stands at each position behind {@code base}; -1 for one of somebody else. */
    static int[] numbers(Connection connection, long base, long last) throws Exception {
        var numbers = new int[(int) (last - base) + 1];
        Arrays.fill(numbers, -1);
        try (var statement = connection.createStatement();
                var rows = statement.executeQuery(
                        "SELECT seq, payload->>'n' FROM log.events WHERE event_type = 'BENCHMARK' AND seq > " + base)) {
            while (rows.next()) {
                numbers[(int) (rows.getLong(1) - base)] = rows.getInt(2);
            }
        }
        return numbers;
    }

    static long one(Connection connection, String query) throws Exception {
        try (var statement = connection.createStatement();
                var row = statement.executeQuery(query)) {
            row.next();
            return row.getLong(1);
        }
    }

    static double at(int[] sorted, int length, double part) {
        return length == 0 ? 0 : sorted[Math.min(length - 1, (int) (length * part))] / 1000.0;
    }

    /** The position with which the envelope of a recorded event ends; 0 for any other. Reads from the end: it is asked millions of times. */
    static long position(byte[] bytes, int to) {
        long value = 0;
        long power = 1;
        int i = to - 2;
        for (; bytes[i] >= '0' && bytes[i] <= '9'; i--) {
            value += power * (bytes[i] - '0');
            power *= 10;
        }
        return bytes[i] == ':' && bytes[i - 1] == '"' && bytes[i - 2] == 'q' ? value : 0;
    }

    /** What one canvas heard of recorded events, in its order. */
    static class Stream {
        final int[] positions;
        final int[] micros;
        volatile int heard;
        volatile int last;

        Stream(int max) {
            positions = new int[max];
            micros = new int[max];
        }

        void add(int position, int at) {
            positions[heard] = position;
            micros[heard] = at;
            heard++; // by one thread
            last = position;
        }

        int number(int place, int[] numbers) {
            int position = positions[place];
            return position > 0 && position < numbers.length ? numbers[position] : -1;
        }
    }

    /** What is wrong with the streams of all canvases together. */
    static class Verdict {
        long missing;
        long repeated;
        long disordered;
        long foreign;

        void add(Stream stream, int[] numbers, int count) {
            var seen = new BitSet(count);
            int own = 0;
            for (int place = 0; place < stream.heard; place++) {
                disordered += place > 0 && stream.positions[place] <= stream.positions[place - 1] ? 1 : 0;
                int number = stream.number(place, numbers);
                if (number >= 0) {
                    own++;
                    seen.set(number);
                } else {
                    foreign++;
                }
            }
            missing += count - seen.cardinality();
            repeated += own - seen.cardinality();
        }

        boolean good() {
            return missing + repeated + disordered == 0;
        }

        @Override
        public String toString() {
            return "every canvas got each of them once and in order: %s (missing %d, repeated %d, out of order %d); recorded events of others heard: %d"
                    .formatted(good() ? "yes" : "NO", missing, repeated, disordered, foreign);
        }
    }
}
