import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * {@code java LongPoll.java <front-door-port> <messages>}: an agent that waits for its next message, and a user who writes it; from
 * the user's request to the agent's answer.
 */
class LongPoll {

    static final int WARM_UP = 300;
    static final Pattern TOKEN = Pattern.compile("\"auth_token\":\"([^\"]+)\"");
    static final Pattern ID = Pattern.compile("\"id\":\"([^\"]+)\"");

    public static void main(String[] args) throws Exception {
        var front = "http://127.0.0.1:" + args[0];
        int messages = Integer.parseInt(args[1]);
        try (var http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
            var id = UUID.randomUUID();
            var registered = send(http, front + "/registry/register", "",
                    "{\"id\":\"" + id + "\",\"url\":\"remote://no-inbound\",\"agent_card\":{\"name\":\"Polling\"}}");
            var token = TOKEN.matcher(registered);
            if (!token.find()) {
                throw new IllegalStateException(registered);
            }
            say(http, front, id, 0);
            var cursor = ID.matcher(get(http, front + "/workspaces/" + id + "/activity?type=a2a_receive", token.group(1)));
            cursor.find();
            var last = cursor.group(1);
            var micros = new long[messages];
            for (int i = -WARM_UP; i < messages; i++) {
                var poll = request(front + "/workspaces/" + id + "/activity?type=a2a_receive&since_id=" + last + "&wait=25", token.group(1))
                        .GET()
                        .build();
                var waiting = http.sendAsync(poll, BodyHandlers.ofString()).thenApply(answer -> {
                    return new Object[] {System.nanoTime(), answer.body()};
                });
                Thread.sleep(20); // it waits by now
                long sent = System.nanoTime();
                say(http, front, id, i);
                var answer = waiting.get();
                if (i >= 0) {
                    micros[i] = ((long) answer[0] - sent) / 1000;
                }
                var row = ID.matcher((String) answer[1]);
                if (!row.find()) {
                    throw new IllegalStateException("no message in " + answer[1]);
                }
                last = row.group(1);
            }
            Arrays.sort(micros);
            System.out.printf(
                    "%d messages to an agent that polls, from the sender's request to the agent: median %.1f ms, p99 %.1f ms%n",
                    messages, micros[messages / 2] / 1e3, micros[(int) (messages * 0.99)] / 1e3);
        }
    }

    static void say(HttpClient http, String front, UUID id, int number) throws Exception {
        send(http, front + "/workspaces/" + id + "/a2a", "",
                "{\"method\":\"message/send\",\"params\":{\"message\":{\"role\":\"user\",\"parts\":[{\"kind\":\"text\",\"text\":\"number " + number + "\"}]}}}");
    }

    static String get(HttpClient http, String url, String token) throws Exception {
        return http.send(request(url, token).GET().build(), BodyHandlers.ofString()).body();
    }

    static String send(HttpClient http, String url, String token, String body) throws Exception {
        var answer = http.send(request(url, token).POST(BodyPublishers.ofString(body)).build(), BodyHandlers.ofString());
        if (answer.statusCode() != 200) {
            throw new IllegalStateException(answer.statusCode() + " " + answer.body());
        }
        return answer.body();
    }

    static HttpRequest.Builder request(String url, String token) {
        var request = HttpRequest.newBuilder(URI.create(url)).header("Content-Type", "application/json");
        return token.isEmpty() ? request : request.header("Authorization", "Bearer " + token);
    }
}
