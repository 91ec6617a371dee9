package ai.molecule.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One key, an agent of the template {@code coder}, and a folder with a test that is red: what a person does on the first day. */
class CoderWalk {

    private static final double LIMIT = 1; // dollars
    private static final String TEST = """
            echo tested >> runs.txt
            [ "$(sh greet.sh)" = "Hello" ] && echo green || { echo red; exit 1; }
            """;

    @Test
    void killed_in_the_middle_it_mends_a_file_until_its_test_is_green_asks_before_the_last_step_and_tells_the_cost(
            @TempDir Path temp) throws Exception {
        Path folder = anybodys(Files.createDirectory(anybodys(temp).resolve("greeter")));
        Path script = anybodys(Files.writeString(folder.resolve("greet.sh"), "echo Hullo\n"));
        Files.writeString(folder.resolve("test.sh"), TEST);
        try (var model = new WorkingModel();
                var platform = Platform.up(
                        Map.of("MOLECULE_PROVIDERS", model.providers(temp).toString()),
                        temp.resolve("data"),
                        "--no-demo")) {
            platform.put("/settings/secrets", "{\"key\":\"ANTHROPIC_API_KEY\",\"value\":\"sk-the-one-key\"}");
            String coder = coder(platform, folder);
            platform.awaitStatus(coder, "online");

            String work = platform.post(
                            201,
                            "/work",
                            Platform.JSON
                                    .createObjectNode()
                                    .put("title", WorkingModel.ASKED)
                                    .put("to", coder)
                                    .put("limit", LIMIT)
                                    .toString())
                    .path("id")
                    .asText();
            await().until(model::isSilent);
            assertThat(script).hasContent("echo Hello");
            platform.agentProcess(coder).destroyForcibly();
            var asked = approvalIn(platform);
            assertThat(asked.path("text").asText()).isEqualTo("publish greet.sh");
            platform.post(
                    200,
                    "/workspaces/" + coder + "/approvals/"
                            + asked.at("/details/approval_id").asText() + "/decide",
                    "{\"decision\":\"approved\",\"decided_by\":\"ann\"}");

            await().until(() ->
                    platform.get("/work/" + work).path("state").asText().equals("done"));
            var done = platform.get("/work/" + work);
            assertThat(done.path("words").findValuesAsText("text").getLast())
                    .isEqualTo("The test is green; publishing was approved by ann");
            assertThat(folder.resolve("runs.txt")).hasContent("tested\ntested");
            assertThat(model.keys).containsOnly("Bearer sk-the-one-key");
            // Six turns were paid for, and what was promised of the one in which the agent was killed.
            double turn = (WorkingModel.TOKENS_IN * 2 + WorkingModel.TOKENS_OUT * 10) / 1e6;
            await().until(() -> platform.get("/work/" + work).path("cost").asDouble() >= 6 * turn - 1e-9);
            assertThat(platform.get("/work/" + work).path("cost").asDouble()).isLessThan(LIMIT);
        }
    }

    private static String coder(Platform platform, Path folder) {
        return platform.post(
                        201,
                        "/workspaces",
                        Platform.JSON
                                .createObjectNode()
                                .put("name", "Coder")
                                .put("template", "coder")
                                .put("workspace_dir", folder.toString())
                                .put("workspace_access", "read_write")
                                .toString())
                .path("id")
                .asText();
    }

    /** The row of the inbox. */
    private static JsonNode approvalIn(Platform platform) {
        return await().until(
                        () -> StreamSupport.stream(
                                        platform.get("/inbox").path("rows").spliterator(), false)
                                .filter(row -> row.path("kind").asText().equals("approval"))
                                .findFirst()
                                .orElse(Platform.JSON.missingNode()),
                        row -> !row.isMissingNode());
    }

    /** Agents have users of their own where this is root's. */
    private static Path anybodys(Path file) throws Exception {
        boolean folder = Files.isDirectory(file);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(folder ? "rwxrwxrwx" : "rw-rw-rw-"));
    }
}
