import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * {@code java Beats.java <registry-url> <agents-file> <every-seconds> <seconds>}: a heartbeat of every agent in each period, evenly
 * spread, and at the end a line about how that went.
 */
class Beats {

    static final int AT_ONCE = 64;
    static final int LATENCIES_MAX = 2_000_000;

    public static void main(String[] args) throws Exception {
        var heartbeat = URI.create(args[0] + "/registry/heartbeat");
        var agents = Files.readAllLines(Path.of(args[1]));
        long everyNanos = Long.parseLong(args[2]) * 1_000_000_000L / agents.size();
        long seconds = Long.parseLong(args[3]);
        var failed = new AtomicInteger();
        var sent = new AtomicInteger();
        var micros = new long[LATENCIES_MAX];
        var free = new Semaphore(AT_ONCE);
        long start = System.nanoTime();
        long end = start + seconds * 1_000_000_000L;
        try (var http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; start + i * everyNanos < end; i++) {
                long due = start + i * everyNanos;
                while (System.nanoTime() < due) {
                    LockSupport.parkNanos(due - System.nanoTime());
                }
                var agent = agents.get(i % agents.size()).split(" ");
                int round = i / agents.size();
                free.acquire();
                threads.submit(() -> {
                    try {
                        send(http, heartbeat, agent[0], agent[1], round);
                        micros[sent.getAndIncrement() % LATENCIES_MAX] = (System.nanoTime() - due) / 1000;
                    } catch (Exception e) {
                        if (failed.incrementAndGet() == 1) {
                            System.err.println("a heartbeat failed: " + e);
                        }
                    } finally {
                        free.release();
                    }
                });
            }
        }
        int measured = Math.min(sent.get(), LATENCIES_MAX);
        Arrays.sort(micros, 0, measured);
        System.out.printf(
                "heartbeats %d, failed %d, from due to answered: median %.1f ms, p99 %.1f ms%n",
                sent.get(), failed.get(), at(micros, measured, 0.5), at(micros, measured, 0.99));
        System.exit(failed.get() == 0 ? 0 : 1);
    }

    static double at(long[] micros, int measured, double part) {
        return measured == 0 ? 0 : micros[(int) (measured * part)] / 1000.0;
    }

    static void send(HttpClient http, URI heartbeat, String id, String token, int round)
            throws IOException, InterruptedException {
        var body = """
                {"workspace_id":"%s","error_rate":0,"sample_error":"","active_tasks":%d,"uptime_seconds":%d,"current_task":"reading"}"""
                .formatted(id, round % 2, 30 * round);
        var request = HttpRequest.newBuilder(heartbeat)
                .header("Content-Type", "application/json")
                .header("Authorization", "Bearer " + token)
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        var answer = http.send(request, BodyHandlers.ofString());
        if (answer.statusCode() != 200) {
            throw new IOException(answer.statusCode() + " " + answer.body());
        }
    }
}
