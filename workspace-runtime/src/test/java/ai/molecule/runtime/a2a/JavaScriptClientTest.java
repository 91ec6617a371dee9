package ai.molecule.runtime.a2a;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Somebody else's client, in another language, gets along with this agent. Needs Node and, once, the npm registry. */
class JavaScriptClientTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Path FOLDER = Path.of("target", "a2a-js").toAbsolutePath();

    @RegisterExtension
    private final AgentUnderTest agent = new AgentUnderTest();

    @BeforeAll
    static void install() throws Exception {
        assumeTrue(run(List.of("node", "--version")).exit == 0, "node is not installed");
        Files.createDirectories(FOLDER);
        for (String file : List.of("package.json", "client.mjs", "client10.mjs")) {
            try (var content = JavaScriptClientTest.class.getResourceAsStream("/a2a-js/" + file)) {
                Files.write(
                        FOLDER.resolve(file), Objects.requireNonNull(content).readAllBytes());
            }
        }
        if (!Files.isDirectory(FOLDER.resolve("node_modules/a2a-1.0"))) {
            var installed = run(List.of(
                    "npm",
                    "install",
                    "--no-audit",
                    "--no-fund",
                    "--omit=optional",
                    "--omit=peer",
                    "--legacy-peer-deps"));
            assumeTrue(installed.exit == 0, "@a2a-js/sdk cannot be installed: " + installed.output);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"JSONRPC", "HTTP+JSON"})
    void that_of_1_0_does_so_by_either_binding_and_lists(String binding) throws Exception {
        var run = run(List.of("node", "client10.mjs", agent.url("").toString(), binding));

        assertThat(run.exit).as(run.output).isZero();
        assertThat(seen(run))
                .containsEntry("sent", "{\"state\":\"COMPLETED\",\"text\":\"done: hi\"}")
                .containsEntry("streamed", "[\"SUBMITTED\",\"WORKING\",\"artifact\",\"COMPLETED\"]")
                .containsEntry("asked", "{\"state\":\"INPUT_REQUIRED\",\"text\":\"which one?\"}")
                .containsEntry("answered", "{\"state\":\"COMPLETED\",\"sameTask\":true,\"history\":3}")
                .containsEntry("canceled", "{\"state\":\"CANCELED\",\"lastSeen\":\"CANCELED\"}")
                .containsEntry("kept", "{\"text\":\"done: hi\",\"history\":1}")
                .containsEntry("listed", "{\"total\":1,\"same\":true,\"artifacts\":0}")
                .containsEntry("unknownTask", "\"TaskNotFoundError\"")
                .containsEntry("cancelAgain", "\"TaskNotCancelableError\"")
                .hasEntrySatisfying(
                        "followDone",
                        why -> assertThat(why).containsAnyOf("UnsupportedOperationError", "UNSUPPORTED_OPERATION"));
        assertThat(agent.executor.interrupted).hasValue(1);
    }

    @Test
    void it_sends_streams_answers_follows_cancels_and_is_told_what_does_not_work() throws Exception {
        var run = run(List.of("node", "client.mjs", agent.url("").toString()));

        assertThat(run.exit).as(run.output).isZero();
        assertThat(seen(run))
                .containsEntry("sent", "{\"kind\":\"task\",\"state\":\"completed\",\"text\":\"done: hi\"}")
                .containsEntry("streamed", "[\"task\",\"working\",\"artifact-update\",\"completed\"]")
                .containsEntry("asked", "{\"state\":\"input-required\",\"text\":\"which one?\"}")
                .containsEntry("answered", "{\"state\":\"completed\",\"sameTask\":true,\"history\":3}")
                .containsEntry("canceled", "{\"state\":\"canceled\",\"lastSeen\":\"canceled\"}")
                .containsEntry("kept", "{\"text\":\"done: hi\",\"history\":1}")
                .containsEntry("unknownTask", "\"TaskNotFoundError\"")
                .containsEntry("cancelAgain", "\"TaskNotCancelableError\"")
                .containsEntry("push", "\"PushNotificationNotSupportedError\"");
        assertThat(agent.executor.interrupted).hasValue(1);
    }

    private static Map<String, String> seen(Run run) throws IOException {
        Map<String, String> seen = new LinkedHashMap<>();
        for (String line : run.output.lines().toList()) {
            JsonNode said = JSON.readTree(line);
            seen.put(said.path("what").asText(), said.path("value").toString());
        }
        return seen;
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
