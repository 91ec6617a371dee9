package ai.molecule.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * The official conformance runner of MCP at what users connect to: a workspace's address at the front door, and {@code molecule mcp --http}. It is made
 * for servers that have its own diagnostic tools ({@code ConformanceWalk} offers those to it); here it plays every scenario that needs none, and what
 * does not pass is this list. Run by {@code .ci/long}; who has no npm registry the first time skips it.
 */
@ExtendWith(SharedPlatform.class)
class McpConformanceWalk {

    private static final Path ROOT = Path.of(System.getProperty("molecule.root", ".."));
    private static final Path FOLDER = Path.of(System.getProperty("basedir", "."), "target", "mcp-conformance")
            .toAbsolutePath();

    /** By scenario, what cannot pass: checks that want a diagnostic tool, lists that are not offered, and {@code initialize}, which older clients need. */
    private static final Map<String, List<String>> EXPECTED = Map.of(
            "server-initialize", List.of(),
            "ping", List.of(),
            "tools-list", List.of(),
            "dns-rebinding-protection", List.of(),
            "http-header-validation", List.of(),
            "server-stateless",
                    List.of(
                            "sep-2575-http-server-method-not-found-404-initialize",
                            "sep-2575-http-server-no-independent-requests-on-stream",
                            "sep-2575-missing-capability-http-400",
                            "sep-2575-server-no-log-without-loglevel",
                            "sep-2575-server-rejects-undeclared-capability"),
            "caching",
                    List.of(
                            "sep-2549-prompts-list-caching-hints",
                            "sep-2549-resources-list-caching-hints",
                            "sep-2549-resources-templates-list-caching-hints"));

    @BeforeAll
    static void install() throws Exception {
        Files.createDirectories(FOLDER);
        Files.copy(
                ROOT.resolve("tools/src/test/resources/mcp-conformance/package.json"),
                FOLDER.resolve("package.json"),
                StandardCopyOption.REPLACE_EXISTING);
        if (!Files.isDirectory(FOLDER.resolve("node_modules/node/bin"))) {
            try {
                run("npm", "install", "--no-audit", "--no-fund");
            } catch (IOException noNpm) {
                assumeTrue(false, "npm is not installed");
            }
        }
        assumeTrue(Files.isDirectory(FOLDER.resolve("node_modules/node/bin")), "the runner cannot be installed");
    }

    @Test
    void a_workspaces_address_at_the_front_door(Platform platform) throws Exception {
        String id = platform.post(
                        201,
                        "/org/import",
                        "{\"start\":false,\"template\":{\"name\":\"C\",\"workspaces\":[{\"name\":\"Conformance\",\"runtime\":\"echo\"}]}}")
                .at("/workspaces/0/id")
                .asText(); // it has no token yet, and the runner could show none

        assertThat(failures(platform.url + "/workspaces/" + id + "/mcp")).isEqualTo(new TreeMap<>(EXPECTED));
    }

    @Test
    void the_command(Platform platform, @TempDir Path folder) throws Exception {
        Path out = folder.resolve("out");
        var environment = Map.of(
                "WORKSPACE_ID",
                UUID.randomUUID().toString(),
                "PLATFORM_URL",
                platform.url,
                "MOLECULE_WORKSPACE_TOKEN",
                "t");
        var command = Launcher.start(environment, out, folder.resolve("err"), "mcp", "--http", "0");
        try {
            await().until(() -> Files.readString(out).endsWith("/mcp\n"));

            assertThat(failures(Files.readString(out).strip())).isEqualTo(new TreeMap<>(EXPECTED));
        } finally {
            command.destroy();
            command.waitFor(1, TimeUnit.MINUTES);
        }
    }

    private static Map<String, List<String>> failures(String url) throws Exception {
        Map<String, List<String>> failures = new TreeMap<>();
        for (String scenario : EXPECTED.keySet()) {
            String said = run(
                    "node_modules/node/bin/node",
                    "node_modules/.bin/conformance",
                    "server",
                    "--url",
                    url,
                    "--scenario",
                    scenario,
                    "--verbose");
            assertThat(said).contains("[\n");
            var failed = new TreeSet<String>();
            List<String> passed = new ArrayList<>();
            for (JsonNode check : PlatformApi.JSON.readTree(said.substring(said.indexOf("[\n")))) {
                switch (check.path("status").asText()) {
                    case "FAILURE" -> failed.add(check.path("id").asText());
                    case "SUCCESS" -> passed.add(check.path("id").asText());
                    default -> {}
                }
            }
            assertThat(passed).as(said).isNotEmpty();
            failures.put(scenario, List.copyOf(failed));
        }
        return failures;
    }

    private static String run(String... command) throws Exception {
        Path said = Files.createTempFile(FOLDER, "said", ".txt");
        var process = new ProcessBuilder(command)
                .directory(FOLDER.toFile())
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        try {
            assertThat(process.waitFor(10, TimeUnit.MINUTES)).isTrue();
            return Files.readString(said);
        } finally {
            process.destroyForcibly();
        }
    }
}
