package ai.molecule.cli.replay;

import ai.molecule.cli.http.Named;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.common.json.Json;
import ai.molecule.common.models.ModelPrice;
import ai.molecule.proxy.models.ModelOperation;
import ai.molecule.proxy.models.RecordedCalls;
import ai.molecule.proxy.models.SpokenAnswers;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.LocalDate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The model door, asked as one workspace with a token that is made for it and ends with it, an hour later at the latest. Prices are those
 * the platform tells; what a long prompt costs more is not among them.
 */
final class ReplayDoor implements AutoCloseable {

    /** What a model answered. @param model who it was, as {@code provider:model} */
    record Replayed(String model, SpokenAnswers.Spoken answer) {

        boolean answered() {
            return answer.status() == 200;
        }
    }

    private static final Duration CONNECT = Duration.ofSeconds(5);

    /** As long as the door lets a call take. */
    private static final Duration CALL = Duration.ofMinutes(31);

    private static final int TOKEN_SECONDS = 3_600;
    private static final int PREFIX_CHARS = 8;

    private final PlatformApi api;
    private final String workspaceId;
    private final String token;
    private final Map<String, ModelPrice> prices;
    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT)
            .build();

    private ReplayDoor(PlatformApi api, String workspaceId, String token) throws IOException {
        this.api = api;
        this.workspaceId = workspaceId;
        this.token = token;
        this.prices = read(Json.MAPPER.readTree(
                send("GET", "/models", HttpRequest.BodyPublishers.noBody()).body()));
    }

    static ReplayDoor open(PlatformApi api, String workspaceId) throws IOException {
        var answer = Named.done(
                "Nothing was asked",
                api.call(
                        "POST",
                        "/workspaces/" + workspaceId + "/tokens",
                        new JsonObject().put("expires_in_seconds", TOKEN_SECONDS)));
        return new ReplayDoor(api, workspaceId, answer.getString("auth_token", ""));
    }

    /** By {@code provider:model}. */
    Map<String, ModelPrice> prices() {
        return prices;
    }

    Replayed ask(RecordedCalls.Call call, String model) throws IOException {
        var operation = call.operation();
        byte[] body;
        if (Json.MAPPER.readTree(call.request()) instanceof ObjectNode request) {
            body = Json.MAPPER.writeValueAsBytes(request.has("model") ? request.put("model", model) : request);
        } else {
            return new Replayed(model, new SpokenAnswers.Spoken(0, "its request is no JSON object", List.of(), null));
        }
        var answer = send("POST", pathOf(operation, model), HttpRequest.BodyPublishers.ofByteArray(body));
        return new Replayed(
                answer.headers().firstValue("X-Molecule-Model").orElse(model),
                SpokenAnswers.of(
                        operation.protocol(),
                        answer.statusCode(),
                        answer.headers().firstValue("Content-Type").orElse(""),
                        answer.body()));
    }

    private static String pathOf(ModelOperation operation, String model) {
        return switch (operation.protocol()) {
            case OPENAI -> operation.urlAt("/models/openai/v1", model);
            case ANTHROPIC -> operation.urlAt("/models/anthropic", model);
            case GOOGLE ->
                operation.urlAt("/models/google/v1beta", PlatformApi.encoded(model))
                        + (operation == ModelOperation.STREAM_GENERATE ? "?alt=sse" : "");
        };
    }

    private HttpResponse<String> send(String method, String path, HttpRequest.BodyPublisher body) throws IOException {
        var request = HttpRequest.newBuilder(URI.create(api.url() + path))
                .timeout(CALL)
                .method(method, body)
                .header("Content-Type", "application/json")
                .header("anthropic-version", "2023-06-01")
                .header("Authorization", "Bearer " + token);
        api.organisation().ifPresent(id -> request.header("X-Molecule-Org-Id", id));
        try {
            return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", stopped);
        }
    }

    private static Map<String, ModelPrice> read(JsonNode models) {
        Map<String, ModelPrice> prices = new LinkedHashMap<>();
        for (var provider : models.path("providers")) {
            for (var price : provider.path("models")) {
                String name = price.path("model").asText();
                prices.put(
                        name,
                        new ModelPrice(
                                name.substring(name.indexOf(':') + 1),
                                price.path("in").decimalValue(),
                                price.path("out").decimalValue(),
                                amount(price.path("cached")),
                                amount(price.path("cache_write")),
                                amount(price.path("cache_write_hour")),
                                null,
                                false,
                                LocalDate.parse(price.path("dated").asText())));
            }
        }
        return prices;
    }

    private static @Nullable BigDecimal amount(JsonNode price) {
        return price.isNumber() ? price.decimalValue() : null;
    }

    @Override
    public void close() throws IOException {
        client.shutdownNow();
        String tokens = "/workspaces/" + workspaceId + "/tokens";
        var mine = token.substring(0, Math.min(PREFIX_CHARS, token.length()));
        Optional<JsonObject> made = api.call("GET", tokens).body().getJsonArray("tokens", new JsonArray()).stream()
                .map(JsonObject.class::cast)
                .filter(each -> mine.equals(each.getString("prefix")))
                .findFirst();
        if (made.isPresent()) {
            api.call("DELETE", tokens + "/" + made.get().getString("id"));
        }
    }
}
