package ai.molecule.runtime.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ai.molecule.runtime.tools.Toolbox;
import ai.molecule.runtime.tools.Workspaces;
import ai.molecule.sdk.ClientConfig;
import ai.molecule.sdk.TokenFile;
import ai.molecule.sdk.WorkspaceClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The official conformance runner, over HTTP, at our methods with the tools that it wants: every scenario of 2026-07-28 and of the extension Tasks
 * that is about something we offer. It takes a minute and is run by {@code .ci/long}; who has no npm registry the first time skips it.
 */
class ConformanceWalk {

    /** Resources, prompts, completions, pictures and progress are not offered; and we answer {@code initialize} whatever comes with it. */
    private static final List<String> OURS = List.of(
            "tools-list",
            "tools-call-simple-text",
            "tools-call-error",
            "server-sse-multiple-streams",
            "dns-rebinding-protection",
            "http-header-validation",
            "input-required-result-basic-elicitation",
            "input-required-result-basic-sampling",
            "input-required-result-basic-list-roots",
            "input-required-result-request-state",
            "input-required-result-multiple-input-requests",
            "input-required-result-multi-round",
            "input-required-result-missing-input-response",
            "input-required-result-result-type",
            "input-required-result-unsupported-methods",
            "input-required-result-tampered-state",
            "input-required-result-capability-check",
            "input-required-result-ignore-extra-params",
            "input-required-result-validate-input",
            "tasks-lifecycle",
            "tasks-capability-negotiation",
            "tasks-wire-fields",
            "tasks-request-state-removal",
            "tasks-mrtr-input",
            "tasks-request-headers",
            "tasks-dispatch-and-envelope",
            "tasks-mrtr-composition");

    private static final Pattern VERDICT = Pattern.compile("([✓✗]) ([a-z0-9-]+): (\\d+) passed, (\\d+) failed");
    private static final Path FOLDER = Path.of("target", "mcp-conformance").toAbsolutePath();

    @Test
    void what_we_offer_is_as_the_official_runner_wants_it() throws Exception {
        install();
        var tools = new DiagnosticTools();
        var nobody = new WorkspaceClient(ClientConfig.of("me", "http://127.0.0.1:9", TokenFile.in(FOLDER)));
        var methods = new McpMethods(
                new Toolbox(new Workspaces(List.of(nobody)), Optional.empty()),
                tools.all,
                tools.all,
                tools,
                RequestState.ofThisProcess(),
                "");
        try (var server = McpHttpServer.listen(methods, 0)) {
            Map<String, String> verdicts = verdicts(server.port());

            assertThat(verdicts).containsKeys(OURS.toArray(String[]::new));
            verdicts.keySet().retainAll(OURS);
            assertThat(verdicts)
                    .allSatisfy((scenario, verdict) -> assertThat(verdict).endsWith(", 0 failed"));
        }
    }

    private static Map<String, String> verdicts(int port) throws Exception {
        String said = run(
                "node_modules/node/bin/node",
                "node_modules/.bin/conformance",
                "server",
                "--url",
                "http://127.0.0.1:" + port + McpHttpServer.PATH,
                "--requirements",
                "2026-07-28");
        Map<String, String> verdicts = new TreeMap<>();
        var found = VERDICT.matcher(said);
        while (found.find()) {
            verdicts.put(found.group(2), found.group(3) + " passed, " + found.group(4) + " failed");
        }
        assertThat(verdicts).as(said).isNotEmpty();
        return verdicts;
    }

    private static void install() throws Exception {
        Files.createDirectories(FOLDER);
        Files.copy(
                Path.of("src/test/resources/mcp-conformance/package.json"),
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

    private static String run(String... command) throws Exception {
        Path said = Files.createTempFile(FOLDER, "said", ".txt");
        var process = new ProcessBuilder(Arrays.asList(command))
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
