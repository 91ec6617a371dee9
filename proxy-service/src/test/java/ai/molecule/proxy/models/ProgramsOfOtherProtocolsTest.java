package ai.molecule.proxy.models;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ai.molecule.common.json.Json;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The programs people use reach models of the other protocols. {@code MOLECULE_PROGRAMS} names the folder they are in. */
@ExtendWith(VertxExtension.class)
class ProgramsOfOtherProtocolsTest {

    private static final String PROGRAMS = System.getenv().getOrDefault("MOLECULE_PROGRAMS", "");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path home;

    @SuppressWarnings("NullAway.Init")
    private DoorUnderTest door;

    @BeforeEach
    void start(Vertx vertx, @TempDir Path folder) {
        assumeTrue(
                !PROGRAMS.isEmpty() && Files.isExecutable(Path.of(PROGRAMS, "claude")),
                "MOLECULE_PROGRAMS names no folder with claude and codex; .ci/programs installs them");
        door = new DoorUnderTest(vertx, folder);
        door.provider.answer = response -> FakeModels.answer(door.provider.asked.getLast(), response);
    }

    @Test
    void claude_asks_a_model_of_openais_protocol_and_goes_on_behind_its_tools() throws Exception {
        String output = run(
                List.of(PROGRAMS + "/claude", "-p", "hi", "--model", "older:m"),
                Map.of(
                        "ANTHROPIC_BASE_URL",
                        url() + "/models/anthropic",
                        "ANTHROPIC_API_KEY",
                        door.token,
                        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
                        "1",
                        "DISABLE_AUTOUPDATER",
                        "1"));

        assertThat(output).contains("No such tool available: look");
        assertThat(door.provider.asked)
                .allSatisfy(asked -> assertThat(asked.uri()).isEqualTo("/v1/chat/completions"));
    }

    @Test
    void codex_asks_a_model_of_anthropics_and_goes_on_behind_its_tools() throws Exception {
        Files.createDirectories(home.resolve(".codex"));
        Files.writeString(home.resolve(".codex/config.toml"), """
                model = "anthropic:m"
                model_provider = "door"
                web_search = "disabled"
                [features]
                multi_agent = false
                [model_providers.door]
                name = "door"
                base_url = "%s/models/openai/v1"
                env_key = "DOOR"
                wire_api = "responses"
                """.formatted(url()));

        String output =
                run(List.of(PROGRAMS + "/codex", "exec", "--skip-git-repo-check", "hi"), Map.of("DOOR", door.token));

        assertThat(output).contains("unsupported call: look");
        assertThat(door.provider.asked)
                .allSatisfy(asked -> assertThat(asked.uri()).isEqualTo("/v1/messages"));
        assertThat(Json.parse(door.provider.asked.getLast().body().getBytes(UTF_8))
                        .path("system")
                        .isMissingNode())
                .isFalse();
    }

    private String url() {
        return "http://127.0.0.1:" + door.proxy.port;
    }

    private String run(List<String> command, Map<String, String> env) throws Exception {
        Path log = home.resolve("log");
        var builder = new ProcessBuilder(command)
                .directory(home.toFile())
                .redirectErrorStream(true)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(log.toFile());
        builder.environment().putAll(env);
        builder.environment().put("HOME", home.toString());
        var process = builder.start();
        try {
            process.waitFor(180, TimeUnit.SECONDS);
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        return Files.readString(log);
    }
}
