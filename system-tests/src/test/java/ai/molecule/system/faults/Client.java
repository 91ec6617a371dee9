package ai.molecule.system.faults;

import static org.awaitility.Awaitility.await;

import ai.molecule.system.Platform;
import ai.molecule.testkit.Waits;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;

/** HTTP at one address, for answers that need not be a success. */
final class Client {

    /** As long as a balancer waits for a word before it sends nobody there. */
    private static final Duration READY_PATIENCE = Duration.ofSeconds(3);

    private static final Duration PAUSE = Duration.ofMillis(500);

    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    /** @param body as it came */
    record Answer(int status, String body) {

        JsonNode json() {
            try {
                return Platform.JSON.readTree(body);
            } catch (IOException failure) {
                throw new UncheckedIOException(body, failure);
            }
        }

        /** What follows {@code mark} on the lines that begin with it, in order. */
        List<String> lines(String mark) {
            return body.lines()
                    .filter(line -> line.startsWith(mark))
                    .map(line -> line.substring(mark.length()))
                    .toList();
        }

        boolean good() {
            return status / 100 == 2;
        }

        /** The 503 of a platform that cannot reach its database. */
        boolean platformUnavailable() {
            return status == 503 && body.contains("\"code\":\"platform_unavailable\"");
        }
    }

    final String url;

    Client(String url) {
        this.url = url;
    }

    /** No answer is none, and so is a late one. */
    boolean isReady() {
        try {
            return send(READY_PATIENCE, "GET", "/ready", "").good();
        } catch (IOException notYet) {
            return false;
        }
    }

    Answer get(String path) throws IOException {
        return send("GET", path, "");
    }

    Answer post(String path, String body) throws IOException {
        return send("POST", path, body);
    }

    /** Again and again while the platform is too busy to say anything, as its clients do: what is sent must bear that. */
    Answer postPatiently(String path, String body) {
        return await().pollInterval(PAUSE).until(() -> post(path, body), answer -> !answer.platformUnavailable());
    }

    /** With {@code token} as bearer. */
    Answer post(String path, String body, String token) throws IOException {
        return send("POST", path, body, "Authorization", "Bearer " + token);
    }

    /** @param headers name, value, name, value */
    Answer send(String method, String path, String body, String... headers) throws IOException {
        return send(Waits.PATIENCE, method, path, body, headers);
    }

    private Answer send(Duration patience, String method, String path, String body, String... headers)
            throws IOException {
        var request = HttpRequest.newBuilder(URI.create(url + path))
                .timeout(patience)
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        long beganNanos = System.nanoTime();
        try {
            var response = HTTP.send(request.build(), BodyHandlers.ofString());
            return new Answer(response.statusCode(), response.body());
        } catch (IOException failure) {
            throw new IOException(method + " " + url + path + " after " + since(beganNanos) + " ms", failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException(interrupted);
        }
    }

    private static long since(long nanos) {
        return (System.nanoTime() - nanos) / 1_000_000;
    }
}
