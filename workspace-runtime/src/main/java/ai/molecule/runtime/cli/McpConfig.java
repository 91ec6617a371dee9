package ai.molecule.runtime.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A file that tells a program where its tools are: {@code molecule mcp} over standard input and output. It lasts for one run, and only
 * its owner can read it, because the workspace's token may be in it.
 *
 * @param options by which the program is told of the file, and that it may use what is there without asking anybody
 */
record McpConfig(Path file, List<String> options) implements AutoCloseable {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String SERVER = "molecule";

    /** Programs do not pass on all they have. */
    private static final List<String> PASSED_ON = List.of(
            "WORKSPACE_ID",
            "PLATFORM_URL",
            "CONFIGS_DIR",
            "MOLECULE_WORKSPACE_TOKEN",
            "MOLECULE_WORKSPACES",
            "MOLECULE_ORG_ID",
            "MOLECULE_NO_DELEGATION",
            "PATH");

    /** @param command the path of {@code molecule} */
    static McpConfig write(String command, Map<String, String> environment) throws IOException {
        var json = JSON.createObjectNode();
        var server = json.putObject("mcpServers")
                .putObject(SERVER)
                .put("type", "stdio")
                .put("command", command);
        server.putArray("args").add("mcp");
        var variables = server.putObject("env");
        PASSED_ON.stream().filter(environment::containsKey).forEach(name -> variables.put(name, environment.get(name)));
        Path file = Files.createTempFile("molecule-mcp", ".json"); // is created with mode 0600
        Files.write(file, JSON.writeValueAsBytes(json));
        return new McpConfig(file, List.of("--mcp-config", file.toString(), "--allowedTools", "mcp__" + SERVER));
    }

    /** Its own options and those. */
    List<String> and(List<String> others) {
        return Stream.concat(options.stream(), others.stream()).toList();
    }

    @Override
    public void close() throws IOException {
        Files.deleteIfExists(file);
    }
}
