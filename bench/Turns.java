import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * {@code java Turns.java <port> <count>}: that many streaming turns with one agent, all at once; prints how many ended completed and
 * how long all of them took. Exits with 1 unless all did.
 */
class Turns {

    public static void main(String[] args) throws Exception {
        var agent = URI.create("http://127.0.0.1:" + args[0] + "/");
        int count = Integer.parseInt(args[1]);
        var completed = new AtomicInteger();
        var go = new CountDownLatch(1);
        long start;
        try (var http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < count; i++) {
                var request = request(agent, i);
                threads.submit(() -> {
                    go.await();
                    String events = http.send(request, HttpResponse.BodyHandlers.ofString()).body();
                    if (events.contains("\"state\":\"completed\"") && events.contains("\"text\":\"Echo: \"")) {
                        completed.incrementAndGet();
                    }
                    return null;
                });
            }
            start = System.nanoTime();
            go.countDown();
        }
        System.out.printf(
                "streaming turns at once: %d of %d completed, in %d ms%n",
                completed.get(), count, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
        System.exit(completed.get() == count ? 0 : 1);
    }

    static HttpRequest request(URI agent, int number) {
        String body = """
                {"jsonrpc":"2.0","id":"%d","method":"message/stream","params":{"message":{"kind":"message","role":"user","messageId":"7a0c9d6e-2f4b-4c43-9f0b-%012d","parts":[{"kind":"text","text":"turn %d"}]}}}"""
                .formatted(number, number, number);
        return HttpRequest.newBuilder(agent)
                .timeout(Duration.ofSeconds(60))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
    }
}
