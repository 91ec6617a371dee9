import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;

/**
 * {@code java Seed.java <registry-url> <count> <file> [<ports-file>]}: registers agents and writes a line {@code <id> <token>} for each.
 * They are nowhere, or on this machine at the ports of the file in turn.
 */
class Seed {

    static final int AT_ONCE = 64;
    static final Pattern TOKEN = Pattern.compile("\"auth_token\":\"([^\"]+)\"");

    public static void main(String[] args) throws Exception {
        var register = URI.create(args[0] + "/registry/register");
        int count = Integer.parseInt(args[1]);
        var lines = new String[count];
        var ports = args.length > 3 ? Files.readAllLines(Path.of(args[3])) : List.<String>of();
        var failed = new AtomicInteger();
        var free = new Semaphore(AT_ONCE);
        try (var http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < count; i++) {
                int number = i;
                free.acquire();
                threads.submit(() -> {
                    try {
                        lines[number] = register(http, register, number, urlOf(number, ports));
                    } catch (Exception e) {
                        if (failed.incrementAndGet() == 1) {
                            System.err.println("registering failed: " + e);
                        }
                    } finally {
                        free.release();
                    }
                });
            }
        }
        if (failed.get() > 0) {
            System.err.println(failed + " of " + count + " registrations failed");
            System.exit(1);
        }
        Files.write(Path.of(args[2]), List.of(lines));
    }

    static String urlOf(int number, List<String> ports) {
        return ports.isEmpty()
                ? "http://93.184.%d.%d:9000".formatted(number / 250, 1 + number % 250)
                : "http://localhost:" + ports.get(number % ports.size());
    }

    static String register(HttpClient http, URI register, int number, String url)
            throws IOException, InterruptedException {
        var id = UUID.randomUUID();
        var body = """
                {"id":"%s","url":"%s","agent_card":{"name":"Agent %d","description":"Answers what it is asked","skills":[]}}"""
                .formatted(id, url, number);
        var request = HttpRequest.newBuilder(register)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        var answer = http.send(request, BodyHandlers.ofString());
        var token = TOKEN.matcher(answer.body());
        if (answer.statusCode() != 200 || !token.find()) {
            throw new IOException(answer.statusCode() + " " + answer.body());
        }
        return id + " " + token.group(1);
    }
}
