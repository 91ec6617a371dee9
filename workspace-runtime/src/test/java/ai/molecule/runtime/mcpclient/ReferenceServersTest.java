package ai.molecule.runtime.mcpclient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ai.molecule.testkit.Waits;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The servers that MCP's own project keeps as its reference, files, memory and everything, get along with our client. Needs Node and, once,
 * the npm registry.
 */
class ReferenceServersTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Path FOLDER = Path.of("target", "mcp-servers").toAbsolutePath();
    private static final Path PROGRAMS = FOLDER.resolve("node_modules/.bin");
    private static final int PORTS_TRIED = 5;

    @TempDir
    private Path folder;

    @BeforeAll
    static void install() throws Exception {
        assumeTrue(run("node", "--version").exit == 0, "node is not installed");
        for (String file : List.of("package.json", "package-lock.json")) {
            try (var content = ReferenceServersTest.class.getResourceAsStream("/mcp-servers/" + file)) {
                Files.write(
                        FOLDER.resolve(file), Objects.requireNonNull(content).readAllBytes());
            }
        }
        if (!Files.exists(FOLDER.resolve("complete"))) {
            var installed = run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund");
            assumeTrue(installed.exit == 0, "the servers cannot be installed: " + installed.output);
            Files.createFile(FOLDER.resolve("complete"));
        }
    }

    @Test
    void that_of_files_lists_writes_reads_and_refuses_what_is_outside() throws Exception {
        try (var files = connected(server("mcp-server-filesystem", folder.toString()))) {
            assertThat(files.tools())
                    .extracting(ListedTool::name)
                    .contains("read_text_file", "write_file", "list_directory", "search_files");

            call(files, "write_file", "{\"path\":\"%s/a.txt\",\"content\":\"written ä\"}".formatted(folder));

            assertThat(folder.resolve("a.txt")).hasContent("written ä");
            assertThat(call(files, "read_text_file", "{\"path\":\"%s/a.txt\"}".formatted(folder)))
                    .contains("written ä");
            assertThat(call(files, "list_directory", "{\"path\":\"%s\"}".formatted(folder)))
                    .contains("[FILE] a.txt");
            assertThat(call(files, "read_text_file", "{\"path\":\"/etc/hostname\"}"))
                    .startsWith("Error: ")
                    .contains("denied");
        }
    }

    @Test
    void that_of_memory_keeps_what_it_is_told_and_says_what_is_wrong_with_nonsense() throws Exception {
        try (var memory = connected(server("mcp-server-memory"))) {
            call(
                    memory,
                    "create_entities",
                    "{\"entities\":[{\"name\":\"Ann\",\"entityType\":\"person\",\"observations\":[\"likes tests\"]}]}");

            assertThat(call(memory, "search_nodes", "{\"query\":\"likes\"}")).contains("\"Ann\"", "likes tests");
            assertThat(call(memory, "create_entities", "{\"entities\":7}")).startsWith("Error: ");
            assertThat(call(memory, "search_nodes", "{\"query\":\"likes\"}")).contains("Ann");
        }
    }

    @Test
    void that_of_everything_is_used_over_its_standard_input_and_output() throws Exception {
        try (var everything = connected(server("mcp-server-everything", "stdio"))) {
            useEverything(everything);
        }
    }

    @Test
    void that_of_everything_is_used_over_streamable_http() throws Exception {
        for (int tried = 1; ; tried++) {
            int port = freePort();
            Path words = folder.resolve("words-" + tried);
            var builder = new ProcessBuilder(
                            PROGRAMS.resolve("mcp-server-everything").toString(), "streamableHttp")
                    .redirectErrorStream(true)
                    .redirectOutput(words.toFile());
            builder.environment().put("PORT", String.valueOf(port));
            var process = builder.start();
            try {
                await().until(() ->
                        !process.isAlive() || Files.readString(words).contains("listening on port"));
                if (!process.isAlive() && tried < PORTS_TRIED) {
                    continue; // somebody took the port meanwhile
                }
                assertThat(process.isAlive()).as(Files.readString(words)).isTrue();
                var config =
                        ScriptedMcpServer.at(URI.create("http://127.0.0.1:" + port + "/mcp"), Map.of(), Waits.PATIENCE);
                try (var everything = connected(config)) {
                    useEverything(everything);
                }
                return;
            } finally {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
        }
    }

    private static void useEverything(ServerLink everything) throws Exception {
        assertThat(everything.tools()).extracting(ListedTool::name).contains("echo", "get-sum", "get-tiny-image");
        assertThat(call(everything, "echo", "{\"message\":\"hey\"}")).isEqualTo("Echo: hey");
        assertThat(call(everything, "get-sum", "{\"a\":2,\"b\":40}")).contains("42");
        assertThat(call(everything, "get-tiny-image", "{}")).contains("image/png");
        assertThat(call(everything, "trigger-long-running-operation", "{\"duration\":1,\"steps\":3}"))
                .contains("completed");
        assertThat(call(everything, "get-sum", "{\"a\":\"two\"}")).startsWith("Error: ");
    }

    private ServerLink connected(McpServerConfig config) throws InterruptedException {
        var link = new ServerLink(config, folder, Clock.systemUTC());
        link.tryToConnect();
        assertThat(link.trouble()).isEmpty();
        return link;
    }

    private static String call(ServerLink link, String tool, String arguments) throws Exception {
        ListedTool listed = link.tools().stream()
                .filter(each -> each.name().equals(tool))
                .findFirst()
                .orElseThrow();
        JsonNode given = JSON.readTree(arguments);
        return link.call(listed, given);
    }

    private McpServerConfig server(String program, String... arguments) {
        List<String> command = new ArrayList<>(List.of(PROGRAMS.resolve(program).toString()));
        command.addAll(List.of(arguments));
        var environment = Map.of(
                "PATH",
                System.getenv().getOrDefault("PATH", "/bin:/usr/bin"),
                "MEMORY_FILE_PATH",
                folder.resolve("memory.jsonl").toString());
        return new McpServerConfig("box", command, environment, Optional.empty(), Map.of(), Set.of(), Waits.PATIENCE);
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private record Run(int exit, String output) {}

    private static Run run(String... command) throws Exception {
        Files.createDirectories(FOLDER);
        Path log = FOLDER.resolve("log");
        try {
            var process = new ProcessBuilder(command)
                    .directory(FOLDER.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            boolean ended = process.waitFor(120, TimeUnit.SECONDS);
            process.destroyForcibly();
            return new Run(ended ? process.exitValue() : -1, Files.readString(log));
        } catch (IOException notInstalled) {
            return new Run(-1, notInstalled.toString());
        }
    }
}
