package ai.molecule.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A card that becomes another one while its agent runs. */
class ChangingTheCardTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path home;

    @Test
    void a_new_name_and_a_new_skill_are_shown_and_told_to_the_platform() throws Exception {
        try (var agents = new RunningAgents(home)) {
            String url =
                    agents.start("ws-1", "Planner", "langchain4j", Map.of("OPENAI_BASE_URL", "http://127.0.0.1:1/v1"));
            await().until(() -> !agents.platform.workspaces.isEmpty());
            assertThat(card(url).path("name").asText()).isEqualTo("Planner");

            Path skill = Files.createDirectories(home.resolve("ws-1/skills/counting"));
            Files.writeString(skill.resolve("SKILL.md"), "---\nname: Counting\ndescription: Counts.\n---\nOne, two.");
            Files.writeString(
                    home.resolve("ws-1/config.yaml"), "name: Counter\nruntime: langchain4j\nskills: [counting]\n");

            await().until(() -> !agents.platform.updatedCards.isEmpty());
            JsonNode told = agents.platform.updatedCards.getFirst();
            assertThat(told.path("workspace_id").asText()).isEqualTo("ws-1");
            assertThat(told.path("agent_card")).isEqualTo(card(url));
            assertThat(card(url).path("name").asText()).isEqualTo("Counter");
            assertThat(card(url).path("skills").findValuesAsText("id")).containsExactly("chat", "counting");
        }
    }

    @Test
    void one_that_could_not_be_told_is_told_later_and_one_that_is_the_same_is_not() throws Exception {
        var cards = new CopyOnWriteArrayList<ObjectNode>(List.of(named("a")));
        var told = new CopyOnWriteArrayList<String>();
        var refusals = new AtomicInteger(2);
        var watch = CardWatch.begin(
                home,
                named("a"),
                cards::getLast,
                changed -> {
                    if (refusals.getAndDecrement() > 0) {
                        throw new IllegalStateException("away");
                    }
                    told.add(changed.path("name").asText());
                },
                Duration.ofMillis(20));
        try {
            cards.add(named("b"));
            Files.writeString(home.resolve("config.yaml"), "name: b");
            await().until(() -> told.equals(List.of("b")));

            Files.writeString(home.resolve("config.yaml"), "name: b # the same");
            await().during(Duration.ofMillis(200)).until(() -> told.equals(List.of("b")));
        } finally {
            watch.close();
        }
    }

    private static ObjectNode named(String name) {
        return JSON.createObjectNode().put("name", name);
    }

    private static JsonNode card(String url) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(url + "/.well-known/agent-card.json"))
                .build();
        try (var client = HttpClient.newHttpClient()) {
            return JSON.readTree(client.send(request, BodyHandlers.ofString()).body());
        }
    }
}
