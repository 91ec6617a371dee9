package ai.molecule.cli.http;

import ai.molecule.cli.data.AdminToken;
import ai.molecule.cli.data.DataFolder;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The few calls of the platform's public API that the launcher makes, with the same rights as any other client. */
public final class PlatformApi implements AutoCloseable {

    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(10);
    /** Every agent's files are written before it is answered, which takes long where each is a pod of its own. */
    private static final Duration IMPORT_TIMEOUT = Duration.ofMinutes(15);

    private static final Duration IMPORT_ASK_TIMEOUT = Duration.ofSeconds(120);
    private static final int IMPORT_PAUSE_SECONDS = 2;

    private static final int REFUSAL_MAX_BYTES = 64 * 1024;

    private static final Duration PROBE_TIMEOUT = Duration.ofSeconds(2);

    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(PROBE_TIMEOUT)
            .build();
    private final String url;
    private final Optional<String> bearer;
    private final Optional<String> organisation;

    /**
     * @param url the front door, without a slash at the end
     * @param bearer the ADMIN_TOKEN, where there is one
     * @param organisation what a platform with MOLECULE_ORG_ID wants to hear with every request
     */
    public PlatformApi(String url, Optional<String> bearer, Optional<String> organisation) {
        this.url = url;
        this.bearer = bearer;
        this.organisation = organisation;
    }

    /** With the rights of whoever owns the data folder, and in the organisation the environment names. */
    public static PlatformApi of(String url, DataFolder data, Map<String, String> environment) {
        var organisation = Optional.ofNullable(environment.get("MOLECULE_ORG_ID"))
                .map(String::strip)
                .filter(id -> !id.isEmpty());
        return new PlatformApi(url, AdminToken.find(environment, data), organisation);
    }

    /** The ADMIN_TOKEN, where there is one. */
    public Optional<String> bearer() {
        return bearer;
    }

    /** Empty on a platform of one organisation. */
    public Optional<String> organisation() {
        return organisation;
    }

    /** Every workspace that is not removed. */
    public List<Agent> agents() throws IOException {
        return list("/workspaces").stream()
                .filter(JsonObject.class::isInstance)
                .map(workspace -> Agent.of((JsonObject) workspace))
                .toList();
    }

    public Agent agent(String id) throws IOException {
        return Agent.of(object(send("GET", "/workspaces/" + id, null)));
    }

    /** An answer whatever its status; an empty object where the body is none. */
    public record Answer(int status, JsonObject body) {}

    /** Where the front door is, without a slash at the end. */
    public String url() {
        return url;
    }

    public Answer call(String method, String path) throws IOException {
        return exchange(request(method, path, CALL_TIMEOUT, null));
    }

    public Answer call(String method, String path, JsonObject body) throws IOException {
        return exchange(request(method, path, CALL_TIMEOUT, body));
    }

    /** For what takes longer than other calls. */
    public Answer call(String method, String path, @Nullable JsonObject body, Duration timeout) throws IOException {
        return exchange(request(method, path, timeout, body));
    }

    /** What a path answers that answers an array. */
    public JsonArray list(String path) throws IOException {
        try {
            return new JsonArray(send("GET", path, null));
        } catch (DecodeException e) {
            throw new IOException("GET " + path + " did not answer a JSON array", e);
        }
    }

    /** An answer as it comes, for as long as it comes; to be closed by whoever reads it, also when it stands still. */
    public HttpResponse<InputStream> stream(String path, JsonObject body, Duration untilItBegins) throws IOException {
        try {
            var request = HttpRequest.newBuilder(request("POST", path, CALL_TIMEOUT, body), (name, value) -> true)
                    .timeout(untilItBegins)
                    .header("Accept", "text/event-stream, application/json")
                    .build();
            return client.send(request, HttpResponse.BodyHandlers.ofInputStream());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** What a path answers in a form of its own, as it comes; to be closed by whoever reads it. */
    public InputStream read(String path, String accept) throws IOException {
        var response = open(path, accept);
        if (response.statusCode() != 200) {
            try (var body = response.body()) {
                throw new IOException("GET %s answered %d %s"
                        .formatted(
                                path,
                                response.statusCode(),
                                new String(body.readNBytes(1_000), StandardCharsets.UTF_8)));
            }
        }
        return response.body();
    }

    /** Likewise, and what is not 200 is told as {@link Named#done} tells it. */
    public InputStream download(String path, String otherwise) throws IOException {
        var response = open(path, "*/*");
        if (response.statusCode() != 200) {
            try (var body = response.body()) {
                String said = new String(body.readNBytes(REFUSAL_MAX_BYTES), StandardCharsets.UTF_8);
                Named.done(
                        otherwise, new Answer(response.statusCode(), said.isBlank() ? new JsonObject() : object(said)));
                throw new IOException("GET %s answered %d".formatted(path, response.statusCode()));
            }
        }
        return response.body();
    }

    private HttpResponse<InputStream> open(String path, String accept) throws IOException {
        try {
            var request = HttpRequest.newBuilder(request("GET", path, CALL_TIMEOUT, null), (name, value) -> true)
                    .header("Accept", accept)
                    .build();
            return client.send(request, HttpResponse.BodyHandlers.ofInputStream());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** Completes when the socket is open. */
    public CompletableFuture<WebSocket> socket(String path, WebSocket.Listener listener) {
        var builder = client.newWebSocketBuilder().connectTimeout(CALL_TIMEOUT);
        bearer.ifPresent(token -> builder.header("Authorization", "Bearer " + token));
        organisation.ifPresent(id -> builder.header("X-Molecule-Org-Id", id));
        return builder.buildAsync(URI.create(url.replaceFirst("^http", "ws") + path), listener);
    }

    /** For a value in a query. */
    public static String encoded(String value) {
        return URLEncoder.encode(value, StandardCharsets.UTF_8);
    }

    /** For one segment of a path, where a plus is a plus. */
    public static String segment(String value) {
        return encoded(value).replace("+", "%20");
    }

    /**
     * Imports an organisation, as {@code POST /org/import} is asked. Where no answer comes, or the import still goes on, it is asked
     * for again with the same key, which creates nothing twice.
     */
    public Answer importOrganisation(JsonObject request) throws IOException {
        String key = UUID.randomUUID().toString();
        long end = System.nanoTime() + IMPORT_TIMEOUT.toNanos();
        while (true) {
            int pause = IMPORT_PAUSE_SECONDS;
            try {
                var answer = exchange(HttpRequest.newBuilder(
                                request("POST", "/org/import", IMPORT_ASK_TIMEOUT, request), (name, value) -> true)
                        .header("Idempotency-Key", key)
                        .build());
                if (!isUnderWay(answer) || System.nanoTime() >= end) {
                    return answer;
                }
                pause = answer.body().getInteger("retry_after", pause);
            } catch (HttpTimeoutException unanswered) {
                if (unanswered instanceof HttpConnectTimeoutException || System.nanoTime() >= end) {
                    throw unanswered;
                }
            }
            try {
                TimeUnit.SECONDS.sleep(pause);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            }
        }
    }

    /** It goes on, or whoever stands between us and it gave up waiting. */
    private static boolean isUnderWay(Answer answer) {
        return answer.status() == 502
                || answer.status() == 504
                || answer.status() == 409
                        && "import_under_way".equals(answer.body().getString("code"));
    }

    private Answer exchange(HttpRequest request) throws IOException {
        try {
            var response = client.send(request, HttpResponse.BodyHandlers.ofString());
            String body = response.body();
            return new Answer(response.statusCode(), body.isBlank() ? new JsonObject() : object(body));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** Whether {@code path} answers 200 within 2 s; used for {@code /ready}. */
    public boolean answers(String path) {
        return isOk(request("GET", path, PROBE_TIMEOUT, null));
    }

    /**
     * Whether the agent is online and really there: after a start of the platform the status is at first what it was before.
     * Asks the agent itself, without our bearer.
     */
    public boolean isThere(Agent agent) {
        return agent.online()
                && agent.url().startsWith("http")
                && isOk(HttpRequest.newBuilder(URI.create(agent.url()).resolve("/.well-known/agent-card.json"))
                        .timeout(PROBE_TIMEOUT)
                        .build());
    }

    private boolean isOk(HttpRequest request) {
        try {
            return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static JsonObject object(String body) throws IOException {
        try {
            return new JsonObject(body);
        } catch (DecodeException e) {
            throw new IOException("the platform did not answer a JSON object", e);
        }
    }

    private String send(String method, String path, @Nullable JsonObject body) throws IOException {
        try {
            var response = client.send(request(method, path, CALL_TIMEOUT, body), HttpResponse.BodyHandlers.ofString());
            if (response.statusCode() / 100 != 2) {
                throw new IOException(
                        "%s %s answered %d %s".formatted(method, path, response.statusCode(), response.body()));
            }
            return response.body();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private HttpRequest request(String method, String path, Duration timeout, @Nullable JsonObject body) {
        var content =
                body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body.encode());
        var request =
                HttpRequest.newBuilder(URI.create(url + path)).timeout(timeout).method(method, content);
        if (body != null) {
            request.header("Content-Type", "application/json");
        }
        bearer.ifPresent(token -> request.header("Authorization", "Bearer " + token));
        organisation.ifPresent(id -> request.header("X-Molecule-Org-Id", id));
        return request.build();
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
