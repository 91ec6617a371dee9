import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;

/**
 * From a message for an agent that sleeps until its answer, alone and many at once. Arguments: the registry's URL, the front door's, runs, how
 * many at once.
 */
public final class Sleep {

    private static final Pattern ID = Pattern.compile("\"id\":\"([0-9a-f-]{36})\"");
    private static final Pattern STATUS = Pattern.compile("\"status\":\"([a-z_]+)\"");
    private static final String HELLO =
            "{\"method\":\"message/send\",\"params\":{\"message\":{\"role\":\"user\",\"parts\":[{\"kind\":\"text\",\"text\":\"hello\"}]}}}";
    private static final long PATIENCE_MS = 240_000;

    private final HttpClient http = HttpClient.newHttpClient();
    private final String registry;
    private final String frontDoor;

    private Sleep(String registry, String frontDoor) {
        this.registry = registry;
        this.frontDoor = frontDoor;
    }

    public static void main(String[] args) throws Exception {
        var bench = new Sleep(args[0], args[1]);
        int runs = Integer.parseInt(args[2]);
        int many = Integer.parseInt(args[3]);
        bench.alone(2); // classes and pools of the platform
        long[] took = bench.alone(runs);
        Arrays.sort(took);
        System.out.printf(
                "message for a sleeper -> answer: p50 %d ms (%d to %d, %d runs)%n",
                took[took.length / 2], took[0], took[took.length - 1], took.length);
        bench.together(many);
    }

    private long[] alone(int runs) throws Exception {
        String id = create("Alone");
        awaitStatus(id, "online");
        long[] took = new long[runs];
        for (int i = 0; i < runs; i++) {
            sleep(id);
            long began = System.nanoTime();
            requireOk(say(id).join());
            took[i] = since(began);
        }
        remove(id);
        return took;
    }

    private void together(int many) throws Exception {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < many; i++) {
            ids.add(create("Together " + i));
        }
        for (String id : ids) {
            awaitStatus(id, "online");
        }
        for (String id : ids) {
            sleep(id);
        }
        long began = System.nanoTime();
        var answers = ids.stream().map(this::say).toList();
        for (var answer : answers) {
            requireOk(answer.join());
        }
        System.out.printf("%d sleepers written to at once, all answered after %d ms%n", many, since(began));
        for (String id : ids) {
            remove(id);
        }
    }

    private void sleep(String id) throws Exception {
        long began = System.nanoTime();
        while (true) {
            var answer = send(frontDoor + "/workspaces/" + id + "/hibernate", "POST", "");
            if (answer.statusCode() == 200) {
                return;
            }
            if (since(began) > PATIENCE_MS) {
                throw new IllegalStateException(answer.body());
            }
            Thread.sleep(50); // it is at something for a moment still
        }
    }

    private CompletableFuture<HttpResponse<String>> say(String id) {
        var request = HttpRequest.newBuilder(URI.create(frontDoor + "/workspaces/" + id + "/a2a"))
                .POST(BodyPublishers.ofString(HELLO));
        return http.sendAsync(request.build(), BodyHandlers.ofString());
    }

    private static void requireOk(HttpResponse<String> answer) {
        if (answer.statusCode() != 200) {
            throw new IllegalStateException(answer.statusCode() + " " + answer.body());
        }
    }

    private String create(String name) throws Exception {
        return find(
                ID,
                send(registry + "/workspaces", "POST", "{\"name\":\"" + name + "\",\"runtime\":\"echo\"}")
                        .body());
    }

    private void remove(String id) throws Exception {
        send(registry + "/workspaces/" + id + "?confirm=true&purge=true", "DELETE", "");
    }

    private void awaitStatus(String id, String status) throws Exception {
        long began = System.nanoTime();
        while (!find(STATUS, send(registry + "/workspaces/" + id, "GET", "").body()).equals(status)) {
            if (since(began) > PATIENCE_MS) {
                throw new IllegalStateException(id + " is not " + status);
            }
            Thread.sleep(20);
        }
    }

    private HttpResponse<String> send(String url, String method, String body) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(url)).method(method, BodyPublishers.ofString(body));
        return http.send(request.build(), BodyHandlers.ofString());
    }

    private static String find(Pattern pattern, String text) {
        var found = pattern.matcher(text);
        if (!found.find()) {
            throw new IllegalStateException(text);
        }
        return found.group(1);
    }

    private static long since(long began) {
        return (System.nanoTime() - began) / 1_000_000;
    }
}
