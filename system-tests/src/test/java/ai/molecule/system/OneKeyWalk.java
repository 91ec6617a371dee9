package ai.molecule.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A fresh platform and one key of a provider, of which nobody else learns: the example organisation runs on a model, says what that cost,
 * is stopped at its limit in the middle of an answer, and says the same again without key and provider. Two platforms take too long for
 * every run: {@code .ci/long}.
 */
class OneKeyWalk {

    private static final String KEY = "the-one-key-of-a-provider";

    /** Tokens in at 2 dollars a million, out at 10. */
    private static final String TABLE = """
            {"providers":[{"name":"own","endpoints":{"openai":"%s"},"secret":"OWN_API_KEY",
                "prices":[{"model":"m","in":2,"out":10,"dated":"2026-11-01"}]}]}""";

    @TempDir
    private static Path folder;

    @Test
    void the_example_runs_on_a_model_within_its_limit_and_the_same_again_without_the_key() throws IOException {
        String said;
        int asked;
        try (var model = new DelegatingModel()) {
            Files.writeString(folder.resolve("providers.json"), TABLE.formatted(model.url()));
            try (var platform = up("record")) {
                platform.put("/settings/secrets", "{\"key\":\"OWN_API_KEY\",\"value\":\"" + KEY + "\"}");
                var team = exampleOn(platform);

                said = conversation(platform, team);
                costIsShown(platform, team);
                stopsInTheMiddle(platform, team, model);

                assertThat(model.keys).isNotEmpty().containsOnly("Bearer " + KEY);
                assertThat(environments(platform)).isNotEmpty().noneMatch(text -> text.contains(KEY));
            }
            asked = model.keys.size();
            try (var platform = up("replay")) {
                var team = exampleOn(platform);
                restart(platform, team.get("Writer"));

                assertThat(conversation(platform, team)).isEqualTo(said);
                assertThat(model.keys).hasSize(asked);
                assertThat(platform.data().resolve("logs").resolve("molecule.log"))
                        .content()
                        .doesNotContain("no recording matches");
            }
        }
    }

    private static Platform up(String mode) {
        return Platform.up(
                Map.of(
                        "MOLECULE_PROVIDERS",
                        folder.resolve("providers.json").toString(),
                        "MOLECULE_MODELS",
                        mode,
                        "MOLECULE_CASSETTES",
                        folder.resolve("cassettes").toString()),
                folder.resolve(mode),
                "--no-demo");
    }

    /** The shipped one with the runtime and the model that its users would write in; ids by name. */
    private static Map<String, String> exampleOn(Platform platform) throws IOException {
        String example;
        try (var shipped = OneKeyWalk.class.getResourceAsStream("/organisations/demo/org.yaml")) {
            example = new String(Objects.requireNonNull(shipped).readAllBytes(), StandardCharsets.UTF_8);
        }
        var body = Platform.JSON.createObjectNode();
        body.putObject("files")
                .put(
                        "org.yaml",
                        example.replace("runtime: echo", "runtime: langgraph\n  model: own:m")
                                .replace("    runtime: delegate\n", ""));
        Map<String, String> ids = new HashMap<>();
        platform.post(201, "/org/import", body.toString())
                .get("workspaces")
                .forEach(made ->
                        ids.put(made.get("name").asText(), made.get("id").asText()));
        assertThat(ids).containsOnlyKeys("Team Lead", "Researcher", "Writer");
        ids.values().forEach(id -> platform.awaitStatus(id, "online"));
        return ids;
    }

    /** What the lead says of what its writer said, with names in the place of ids. */
    private static String conversation(Platform platform, Map<String, String> team) {
        String said = platform.say(team.get("Team Lead"), "ask " + team.get("Writer") + ": who is there?");
        for (var agent : team.entrySet()) {
            said = said.replace(agent.getValue(), agent.getKey());
        }
        assertThat(said).startsWith("They said: ").contains("**Team Lead**");
        return said;
    }

    private static void costIsShown(Platform platform, Map<String, String> team) {
        platform.say(team.get("Team Lead"), "hand " + team.get("Writer") + ": who is there?");
        await().untilAsserted(() -> {
            assertThat(costs(platform, "agent").keySet()).contains(team.get("Team Lead"), team.get("Writer"));
            assertThat(costs(platform, "delegation").keySet()).anyMatch(id -> !id.equals("null"));
        });
        assertThat(costs(platform, "agent").values()).allMatch(micros -> micros > 0);
        assertThat(costs(platform, "delegation").values()).allMatch(micros -> micros > 0);
    }

    private static Map<String, Long> costs(Platform platform, String by) {
        Map<String, Long> costs = new HashMap<>();
        platform.get("/usage?by=" + by)
                .get("rows")
                .forEach(row -> costs.put(
                        row.get("key").asText(), row.get("cost_micros").asLong()));
        return costs;
    }

    private static void stopsInTheMiddle(Platform platform, Map<String, String> team, DelegatingModel model) {
        String work = platform.post(
                        201,
                        "/work",
                        "{\"title\":\"%s\",\"to\":\"%s\",\"limit\":0.05}"
                                .formatted(DelegatingModel.WITHOUT_END, team.get("Team Lead")))
                .get("id")
                .asText();

        await().until(model.left::isDone);
        await().until(() -> rowOfInbox(platform, "limit").isPresent());
        await().until(() -> platform.get("/work/" + work).get("state").asText().equals("needs_you"));
        assertThat(platform.get("/work/" + work).get("cost").decimalValue())
                .isBetween(new BigDecimal("0.03"), new BigDecimal("0.055"));
    }

    private static Optional<JsonNode> rowOfInbox(Platform platform, String kind) {
        return StreamSupport.stream(platform.get("/inbox").get("rows").spliterator(), false)
                .filter(row -> row.get("kind").asText().equals(kind))
                .findFirst();
    }

    /** It comes back with nothing in its prompt that no recording has. */
    private static void restart(Platform platform, String agent) {
        var before = platform.agentProcess(agent);
        platform.post(200, "/workspaces/" + agent + "/restart", "");
        await().until(() -> !before.isAlive());
        platform.awaitStatus(agent, "online");
    }

    private static List<String> environments(Platform platform) {
        return platform.agentProcesses()
                .flatMap(process -> Stream.of("environ", "cmdline").map(file -> read(process, file)))
                .toList();
    }

    private static String read(ProcessHandle process, String file) {
        try {
            return Files.readString(Path.of("/proc", String.valueOf(process.pid()), file), StandardCharsets.ISO_8859_1);
        } catch (IOException gone) {
            return "";
        }
    }
}
