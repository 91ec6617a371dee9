package ai.molecule.runtime.langchain4j;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Which models an endpoint of one's own has, by its {@code GET /models}. */
final class EndpointModels {

    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final int ANSWER_MAX_BYTES = 4 << 20;
    private static final ObjectMapper JSON = new ObjectMapper();

    private EndpointModels() {}

    /**
     * Their names, at least one; empty where it lists none, or does not say so within 5 s.
     *
     * @param url with {@code /v1}
     * @param key empty for an endpoint that wants none
     */
    static Optional<List<String>> at(String url, String key) {
        var request = HttpRequest.newBuilder(URI.create(url.replaceFirst("/+$", "") + "/models"))
                .timeout(PATIENCE);
        if (!key.isEmpty()) {
            request.header("Authorization", "Bearer " + key);
        }
        try (var client = HttpClient.newBuilder().connectTimeout(PATIENCE).build()) {
            var answer = client.sendAsync(
                    request.build(),
                    HttpResponse.BodyHandlers.limiting(HttpResponse.BodyHandlers.ofByteArray(), ANSWER_MAX_BYTES));
            try {
                var answered = answer.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
                return answered.statusCode() == 200 ? names(answered.body()) : Optional.empty();
            } finally {
                answer.cancel(true);
                client.shutdownNow();
            }
        } catch (IOException | ExecutionException | TimeoutException noList) {
            return Optional.empty();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    private static Optional<List<String>> names(byte[] answer) throws IOException {
        List<String> names = JSON.readTree(answer)
                .path("data")
                .valueStream()
                .map(model -> model.path("id").asText())
                .filter(name -> !name.isBlank())
                .toList();
        return names.isEmpty() ? Optional.empty() : Optional.of(names);
    }
}
