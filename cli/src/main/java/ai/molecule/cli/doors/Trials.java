package ai.molecule.cli.doors;

import ai.molecule.cli.Console;
import ai.molecule.cli.http.PlatformApi;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** One request after the other, within 10 s each; of the answer only the status is looked at. Where the rate is limited it waits. */
final class Trials implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final int SWITCHING_PROTOCOLS = 101;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final long PAUSE_MAX_SECONDS = 60;
    private static final int PAUSES_MAX = 3;

    /** No JSON, whatever a route wants to read. */
    private static final String CUT_OFF = "{";

    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(TIMEOUT)
            .build();
    private final PlatformApi api;
    private final Console console;

    Trials(PlatformApi api, Console console) {
        this.api = api;
        this.console = console;
    }

    /** The status; {@code none} when nothing came in time. @param bearer empty: no credential at all */
    String answerOf(TriedRoute door, String path, String bearer) throws IOException {
        try {
            return door.socket() ? opened(path, bearer) : asked(door, path, bearer);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private String asked(TriedRoute door, String path, String bearer) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create(api.url() + path)).timeout(TIMEOUT);
        if (!bearer.isEmpty()) {
            request.header("Authorization", "Bearer " + bearer);
        }
        api.organisation().ifPresent(id -> request.header("X-Molecule-Org-Id", id));
        boolean reads = door.method().equals("GET");
        if (!reads) {
            request.header("Content-Type", "application/json");
        }
        request.method(door.method(), reads ? BodyPublishers.noBody() : BodyPublishers.ofString(CUT_OFF));
        for (int pauses = 0; ; pauses++) {
            HttpResponse<?> response;
            try {
                var streamed = client.send(request.build(), BodyHandlers.ofInputStream());
                streamed.body().close(); // event streams never end
                response = streamed;
            } catch (java.net.http.HttpTimeoutException silent) {
                return "none";
            }
            if (response.statusCode() != TOO_MANY_REQUESTS || pauses == PAUSES_MAX) {
                return String.valueOf(response.statusCode());
            }
            pause(response);
        }
    }

    private void pause(HttpResponse<?> response) throws InterruptedException {
        long seconds = Math.clamp(
                response.headers().firstValueAsLong("Retry-After").orElse(PAUSE_MAX_SECONDS), 1, PAUSE_MAX_SECONDS);
        console.say("the platform limits the rate; waiting " + seconds + " s");
        Thread.sleep(Duration.ofSeconds(seconds));
    }

    private String opened(String path, String bearer) throws IOException, InterruptedException {
        var socket = client.newWebSocketBuilder().connectTimeout(TIMEOUT);
        if (!bearer.isEmpty()) {
            socket.header("Authorization", "Bearer " + bearer);
        }
        api.organisation().ifPresent(id -> socket.header("X-Molecule-Org-Id", id));
        try {
            socket.buildAsync(URI.create(api.url().replaceFirst("^http", "ws") + path), new WebSocket.Listener() {})
                    .get(TIMEOUT.toSeconds(), TimeUnit.SECONDS)
                    .abort();
            return String.valueOf(SWITCHING_PROTOCOLS);
        } catch (TimeoutException silent) {
            return "none";
        } catch (ExecutionException e) {
            if (e.getCause() instanceof WebSocketHandshakeException refused) {
                return String.valueOf(refused.getResponse().statusCode());
            }
            throw new IOException(e.getCause());
        }
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
