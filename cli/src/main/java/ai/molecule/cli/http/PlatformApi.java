package ai.molecule.cli.http;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The few calls of the platform's public API that the launcher makes, with the same rights as any other client. */
public final class PlatformApi implements AutoCloseable {

    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(10);
    /** Every agent's files are written before it is answered. */
    private static final Duration IMPORT_TIMEOUT = Duration.ofSeconds(120);

    private static final Duration PROBE_TIMEOUT = Duration.ofSeconds(2);

    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(PROBE_TIMEOUT)
            .build();
    private final String url;
    private final Optional<String> bearer;

    /**
     * @param url the front door, without a slash at the end
     * @param bearer the ADMIN_TOKEN, where there is one
     */
    public PlatformApi(String url, Optional<String> bearer) {
        this.url = url;
        this.bearer = bearer;
    }

    /** Every workspace that is not removed. */
    public List<Agent> agents() throws IOException {
        String body = send("GET", "/workspaces", null);
        try {
            var agents = new ArrayList<Agent>();
            for (Object each : new JsonArray(body)) {
                if (each instanceof JsonObject workspace) {
                    agents.add(Agent.of(workspace));
                }
            }
            return agents;
        } catch (DecodeException e) {
            throw new IOException("GET /workspaces did not answer a JSON array", e);
        }
    }

    public Agent agent(String id) throws IOException {
        return Agent.of(object(send("GET", "/workspaces/" + id, null)));
    }

    /** An answer whatever its status; an empty object where the body is none. */
    public record Answer(int status, JsonObject body) {}

    /** Imports an organisation, as {@code POST /org/import} is asked. */
    public Answer importOrganisation(JsonObject request) throws IOException {
        try {
            var response = client.send(
                    request("POST", "/org/import", IMPORT_TIMEOUT, request), HttpResponse.BodyHandlers.ofString());
            return new Answer(response.statusCode(), object(response.body()));
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
        return request.build();
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
