package ai.molecule.runtime.langchain4j;

import ai.molecule.runtime.agent.GivenModels;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** What the platform's model door is asked when a model's name could be one that an organisation gave. */
final class DoorAliases {

    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final ObjectMapper JSON = new ObjectMapper();

    private DoorAliases() {}

    /** A door that does not answer is left to say so itself, once it is asked for the model: then the name is passed on as it is. */
    static boolean knows(GivenModels given, String name) {
        try (var client = HttpClient.newBuilder().connectTimeout(PATIENCE).build()) {
            var answer = client.send(
                    HttpRequest.newBuilder(URI.create(given.door()))
                            .timeout(PATIENCE)
                            .header("Authorization", "Bearer " + given.key())
                            .build(),
                    HttpResponse.BodyHandlers.ofByteArray());
            return answer.statusCode() >= 500
                    || (answer.statusCode() == 200 && isIn(JSON.readTree(answer.body()), name));
        } catch (IOException noAnswer) {
            return true;
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    private static boolean isIn(JsonNode list, String name) {
        return list.path("aliases")
                .valueStream()
                .anyMatch(alias -> alias.path("name").asText().equals(name));
    }
}
