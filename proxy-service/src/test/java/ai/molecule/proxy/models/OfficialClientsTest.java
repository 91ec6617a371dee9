package ai.molecule.proxy.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** OpenAI's and Anthropic's own libraries get along with the door, and show its refusals as errors of theirs. Needs Node and, once, the npm registry. */
@ExtendWith(VertxExtension.class)
class OfficialClientsTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Path FOLDER = Path.of("target", "model-clients").toAbsolutePath();

    @BeforeAll
    static void install() throws Exception {
        assumeTrue(run(List.of("node", "--version")).exit == 0, "node is not installed");
        for (String file : List.of("package.json", "package-lock.json", "client.mjs", "translated.mjs")) {
            try (var content = OfficialClientsTest.class.getResourceAsStream("/model-clients/" + file)) {
                Files.write(
                        FOLDER.resolve(file), Objects.requireNonNull(content).readAllBytes());
            }
        }
        if (!Files.isDirectory(FOLDER.resolve("node_modules/openai"))) {
            var installed = run(List.of("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"));
            assumeTrue(installed.exit == 0, "the clients cannot be installed: " + installed.output);
        }
    }

    @Test
    void they_ask_stream_use_tools_and_understand_why_they_are_refused(Vertx vertx, @TempDir Path folder)
            throws Exception {
        var door = new DoorUnderTest(vertx, folder);
        door.provider.answer = response -> answer(door, response);
        var broke = UUID.randomUUID();
        door.proxy.platform.budgets.put(broke, 0L);

        var run = run(List.of(
                "node",
                "client.mjs",
                "http://127.0.0.1:" + door.proxy.port,
                door.token,
                door.proxy.platform.tokenOf(broke)));

        assertThat(run.exit).as(run.output).isZero();
        var seen = JSON.createObjectNode();
        for (String line : run.output.lines().toList()) {
            JsonNode said = JSON.readTree(line);
            seen.set(said.path("what").asText(), said.path("value"));
        }
        assertThat(seen.path("chat")).hasToString("{\"text\":\"hello\",\"total\":15}");
        assertThat(seen.path("streamed")).hasToString("\"hello\"");
        assertThat(seen.path("tool")).hasToString("{\"name\":\"look\",\"arguments\":\"{}\"}");
        assertThat(seen.path("responses")).hasToString("\"hello\"");
        assertThat(seen.path("embeddings")).hasToString("[0.5,1]");
        assertThat(seen.path("models").toString()).contains("\"m\"");
        assertThat(seen.path("model")).hasToString("\"m\"");
        assertThat(seen.path("anthropicModel")).hasToString("\"m\"");
        assertThat(seen.path("message")).hasToString("{\"text\":\"hello\",\"out\":5}");
        assertThat(seen.path("messageStream")).hasToString("\"hello\"");
        assertThat(seen.path("counted")).hasToString("7");
        assertThat(seen.path("anthropicModels").toString()).contains("\"m\"");
        assertThat(refusal(seen, "unknown")).startsWith("NotFoundError 404").contains("nowhere");
        assertThat(refusal(seen, "unknownModel"))
                .startsWith("NotFoundError 404")
                .contains("GET /models");
        assertThat(refusal(seen, "noKey")).startsWith("AuthenticationError 401");
        assertThat(refusal(seen, "noKeyAnthropic")).startsWith("AuthenticationError 401");
        assertThat(refusal(seen, "limited")).startsWith("RateLimitError 429").contains("slowly");
        assertThat(refusal(seen, "broke")).startsWith("APIError 402").contains("budget");
        assertThat(refusal(seen, "brokeAnthropic"))
                .startsWith("PaymentRequiredError 402")
                .contains("budget");
    }

    @Test
    void they_reach_models_of_the_other_protocols_with_tools_and_in_streams(Vertx vertx, @TempDir Path folder)
            throws Exception {
        var door = new DoorUnderTest(vertx, folder);
        door.provider.answer = response -> FakeModels.answer(door.provider.asked.getLast(), response);

        var run = run(List.of("node", "translated.mjs", "http://127.0.0.1:" + door.proxy.port, door.token));

        assertThat(run.exit).as(run.output).isZero();
        var seen = JSON.createObjectNode();
        for (String line : run.output.lines().toList()) {
            JsonNode said = JSON.readTree(line);
            seen.set(said.path("what").asText(), said.path("value"));
        }
        String same =
                "{\"calls\":[\"look{\\\"at\\\":\\\"door\\\"}\",\"look{\\\"at\\\":\\\"roof\\\"}\"],\"stop\":\"tool_calls\",\"text\":\"seen door;seen roof;\",\"end\":\"stop\",\"usage\":[10,4,5]}";
        for (String asked : List.of(
                "chat anthropic:m",
                "chat newer:m",
                "responses anthropic:m",
                "responses older:m",
                "messages older:m",
                "messages newer:m")) {
            assertThat(seen.path(asked + " whole")).as(asked).hasToString(same);
            assertThat(seen.path(asked + " streamed")).as(asked).hasToString(same);
        }
        assertThat(seen.path("refusedOpenai").asText())
                .startsWith("BadRequestError 400")
                .contains("logit_bias");
        assertThat(seen.path("refusedAnthropic").asText())
                .startsWith("BadRequestError 400")
                .contains("top_k");
        assertThat(seen.path("limitedOpenai").asText())
                .startsWith("RateLimitError 429")
                .contains("slowly");
        assertThat(seen.path("limitedAnthropic").asText())
                .startsWith("RateLimitError 429")
                .contains("slowly");
        assertThat(seen.path("cutOpenai").asText()).contains("broke off");
        assertThat(seen.path("cutAnthropic").asText()).contains("broke off");
    }

    private static String refusal(JsonNode seen, String what) {
        var error = seen.path(what);
        return error.path("name").asText() + " " + error.path("status").asText() + " "
                + error.path("message").asText();
    }

    private static void answer(DoorUnderTest door, HttpServerResponse response) {
        var asked = door.provider.asked.getLast();
        boolean streamed = asked.body().contains("\"stream\":true");
        switch (asked.uri()) {
            case "/v1/chat/completions" -> chat(asked.body(), streamed, response);
            case "/v1/responses" ->
                whole(
                        response,
                        "{\"id\":\"r\",\"object\":\"response\",\"status\":\"completed\",\"output\":[{\"type\":\"message\",\"id\":\"m\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"hello\",\"annotations\":[]}]}],\"usage\":{\"input_tokens\":10,\"output_tokens\":5,\"total_tokens\":15}}");
            case "/v1/embeddings" ->
                whole(
                        response,
                        "{\"object\":\"list\",\"data\":[{\"object\":\"embedding\",\"index\":0,\"embedding\":[0.5,1]}],\"model\":\"m\",\"usage\":{\"prompt_tokens\":1,\"total_tokens\":1}}");
            case "/v1/messages/count_tokens" -> whole(response, "{\"input_tokens\":7}");
            case "/v1/messages" -> message(streamed, response);
            default -> response.setStatusCode(404).end("{}");
        }
    }

    private static void chat(String asked, boolean streamed, HttpServerResponse response) {
        if (asked.contains("\"limit\"")) {
            response.setStatusCode(429);
            whole(
                    response,
                    "{\"error\":{\"message\":\"more slowly, please\",\"type\":\"rate_limit_error\",\"code\":null}}");
        } else if (streamed) {
            FakeProvider.events(response);
            response.write("data: {\"id\":\"1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hel\"}}]}\n\n");
            response.write(
                    "data: {\"id\":\"1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"lo\"},\"finish_reason\":\"stop\"}]}\n\n");
            response.end("data: [DONE]\n\n");
        } else {
            String message = asked.contains("\"tool\"")
                    ? "\"content\":null,\"tool_calls\":[{\"id\":\"c\",\"type\":\"function\",\"function\":{\"name\":\"look\",\"arguments\":\"{}\"}}]"
                    : "\"content\":\"hello\"";
            whole(
                    response,
                    "{\"id\":\"1\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\"," + message
                            + "},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":5,\"total_tokens\":15}}");
        }
    }

    private static void message(boolean streamed, HttpServerResponse response) {
        String empty =
                "{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\",\"content\":[%s],\"stop_reason\":%s,\"usage\":{\"input_tokens\":10,\"output_tokens\":5}}";
        if (!streamed) {
            whole(response, empty.formatted("{\"type\":\"text\",\"text\":\"hello\"}", "\"end_turn\""));
            return;
        }
        FakeProvider.events(response);
        for (String event : List.of(
                "{\"type\":\"message_start\",\"message\":" + empty.formatted("", "null") + "}",
                "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}",
                "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"hello\"}}",
                "{\"type\":\"content_block_stop\",\"index\":0}",
                "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":5}}",
                "{\"type\":\"message_stop\"}")) {
            response.write(
                    "event: " + event.replaceAll("^.\"type\":\"([a-z_]*)\".*", "$1") + "\ndata: " + event + "\n\n");
        }
        response.end();
    }

    private static void whole(HttpServerResponse response, String body) {
        response.putHeader("Content-Type", "application/json").end(body);
    }

    private record Run(int exit, String output) {}

    private static Run run(List<String> command) throws Exception {
        Files.createDirectories(FOLDER);
        Path log = FOLDER.resolve("log");
        try {
            var process = new ProcessBuilder(command)
                    .directory(FOLDER.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            boolean ended = process.waitFor(90, TimeUnit.SECONDS);
            process.destroyForcibly();
            return new Run(ended ? process.exitValue() : -1, Files.readString(log));
        } catch (IOException notInstalled) {
            return new Run(-1, notInstalled.toString());
        }
    }
}
