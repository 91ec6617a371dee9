import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * {@code java -cp <driver> Recorded.java <events-port> <postgres-port> <password-file> <writers> <clients> <rate> <seconds>}: writers
 * append events at an even rate, each in a transaction of its own; from before the transaction to each of the canvases.
 */
class Recorded {

    static final int WARM_UP_SECONDS = 8;

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
        var numberAt = new int[count]; // by place in the stream
        var sequenceAt = new long[count];
        var heardMicros = new int[clients][count];
        var heard = new int[clients];
        long start = System.nanoTime();
        try (var sockets = new Sockets()) {
            sockets.listen((client, bytes, from, to) -> {
                int place = heard[client]++;
                if (place < count) {
                    heardMicros[client][place] = (int) ((System.nanoTime() - start) / 1000);
                    if (client == 0) {
                        numberAt[place] = (int) number(bytes, from, to, "\"n\":");
                        sequenceAt[place] = number(bytes, from, to, "\"seq\":");
                    }
                }
            });
            sockets.open(port, clients, i -> "/ws");
            var next = new AtomicLong();
            long[] finished = new long[writers];
            var threads = new Thread[writers];
            for (int w = 0; w < writers; w++) {
                int writer = w;
                threads[w] = Thread.ofPlatform().start(() -> {
                    try (var connection = DriverManager.getConnection(url, "molecule", password);
                            var append = connection.prepareStatement(
                                    "SELECT log.append('BENCHMARK', ?::uuid, ?::jsonb)")) {
                        append.setString(1, "11111111-2222-3333-4444-555555555555");
                        for (long n = next.getAndIncrement(); n < count; n = next.getAndIncrement()) {
                            long due = start + 1_000_000_000L + n * 1_000_000_000L / rate;
                            while (System.nanoTime() < due) {
                                LockSupport.parkNanos(due - System.nanoTime());
                            }
                            begunNanos[(int) n] = System.nanoTime();
                            append.setString(2, "{\"n\":" + n + ",\"text\":\"what a change of this kind usually tells\"}");
                            append.executeQuery();
                        }
                        finished[writer] = System.nanoTime();
                    } catch (Exception e) {
                        e.printStackTrace();
                        System.exit(1);
                    }
                });
            }
            for (var thread : threads) {
                thread.join();
            }
            double took = (Arrays.stream(finished).max().orElseThrow() - begunNanos[0]) / 1e9;
            long deadline = System.nanoTime() + 20_000_000_000L;
            while (Arrays.stream(heard).min().orElseThrow() < count && System.nanoTime() < deadline) {
                Thread.sleep(10);
            }
            long holes = 0;
            for (int place = 1; place < count; place++) {
                holes += sequenceAt[place] == sequenceAt[place - 1] + 1 ? 0 : 1;
            }
            var latencies = new int[clients * (count - warmUp)];
            int n = 0;
            for (int client = 0; client < clients; client++) {
                for (int place = 0; place < count; place++) {
                    int number = numberAt[place];
                    if (number >= warmUp) {
                        latencies[n++] = heardMicros[client][place] - (int) ((begunNanos[number] - start) / 1000);
                    }
                }
            }
            Arrays.sort(latencies, 0, n);
            System.out.printf(
                    "%d recorded events by %d writers, %.0f/s (wanted %d/s), to %d canvases: from transaction to socket median %.1f ms, p99 %.1f ms, greatest %.0f ms%n",
                    count, writers, count / took, rate, clients, at(latencies, n, 0.5), at(latencies, n, 0.99), at(latencies, n, 1));
            System.out.printf(
                    "every canvas got all of them: %s; holes or repeats in their positions: %d%n",
                    Arrays.stream(heard).allMatch(one -> one == count), holes);
        }
    }

    static double at(int[] sorted, int length, double part) {
        return length == 0 ? 0 : sorted[Math.min(length - 1, (int) (length * part))] / 1000.0;
    }

    static long number(byte[] bytes, int from, int to, String key) {
        var name = key.getBytes(StandardCharsets.US_ASCII);
        for (int i = from; i < to - name.length; i++) {
            if (Arrays.equals(bytes, i, i + name.length, name, 0, name.length)) {
                long value = 0;
                for (int digit = i + name.length; bytes[digit] >= '0' && bytes[digit] <= '9'; digit++) {
                    value = value * 10 + bytes[digit] - '0';
                }
                return value;
            }
        }
        return -1;
    }
}
