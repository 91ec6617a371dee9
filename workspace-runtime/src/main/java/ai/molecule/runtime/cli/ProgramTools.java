package ai.molecule.runtime.cli;

import ai.molecule.runtime.tools.PermissionPrompt;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * How a program is told where its tools are, {@code molecule mcp} over standard input and output, and that it may use what is there without
 * asking anybody. No value of a secret stands in its words, which every process of the machine sees.
 *
 * @param options it is started with
 * @param variables besides those of the environment
 * @param file lasts for one run; empty when there is none
 */
record ProgramTools(List<String> options, Map<String, String> variables, Optional<Path> file) implements AutoCloseable {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String SERVER = "molecule";

    /** A person may take a day to decide; the run's own time ends it before. */
    private static final int CALL_MAX_SECONDS = 24 * 3600;

    /** On a busy machine the command takes its time; a program that does not wait for it works without its tools and does not say so. */
    private static final int START_MAX_SECONDS = 120;

    private static final String HOME_OF_GEMINI = "GEMINI_CLI_HOME";

    /** Programs do not pass on all they have. */
    private static final List<String> PASSED_ON = List.of(
            "WORKSPACE_ID",
            "PLATFORM_URL",
            "CONFIGS_DIR",
            "MOLECULE_WORKSPACE_TOKEN",
            "MOLECULE_WORKSPACES",
            "MOLECULE_ORG_ID",
            "MOLECULE_NO_DELEGATION",
            "MOLECULE_TASK_ID",
            "PATH");

    ProgramTools {
        options = List.copyOf(options);
        variables = Map.copyOf(variables);
    }

    /**
     * @param molecule the path of the command
     * @param ownLogin whether its login, and the home it is in, are its own and stay as they are
     */
    static ProgramTools of(
            KnownProgram program,
            Permission permission,
            String molecule,
            Map<String, String> environment,
            boolean ownLogin)
            throws IOException {
        return switch (program) {
            case CLAUDE -> forClaude(permission, molecule, environment);
            case CODEX -> forCodex(molecule, environment);
            case GEMINI ->
                ownLogin ? new ProgramTools(List.of(), Map.of(), Optional.empty()) : forGemini(molecule, environment);
        };
    }

    private static ProgramTools forClaude(Permission permission, String molecule, Map<String, String> environment)
            throws IOException {
        var json = JSON.createObjectNode();
        var variables = server(json, molecule).put("type", "stdio").putObject("env");
        PASSED_ON.stream().filter(environment::containsKey).forEach(name -> variables.put(name, environment.get(name)));
        List<String> options = new ArrayList<>();
        if (permission == Permission.ASK) {
            variables.put(PermissionPrompt.VARIABLE, "1");
            options.addAll(List.of("--permission-prompt-tool", "mcp__" + SERVER + "__permission_prompt"));
        }
        Path file = Files.createTempFile("molecule-mcp", ".json"); // is created with mode 0600
        Files.write(file, JSON.writeValueAsBytes(json));
        options.addAll(List.of("--mcp-config", file.toString(), "--allowedTools", "mcp__" + SERVER));
        return new ProgramTools(
                options,
                Map.of(
                        "MCP_TIMEOUT", String.valueOf(START_MAX_SECONDS * 1000L),
                        "MCP_TOOL_TIMEOUT", String.valueOf(CALL_MAX_SECONDS * 1000L)),
                Optional.of(file));
    }

    private static ProgramTools forCodex(String molecule, Map<String, String> environment) {
        String names = PASSED_ON.stream()
                .filter(environment::containsKey)
                .map(name -> '"' + name + '"')
                .collect(Collectors.joining(","));
        String server =
                "mcp_servers.%s={command=%s,args=[\"mcp\"],env_vars=[%s],default_tools_approval_mode=\"approve\",startup_timeout_sec=%d,required=true,tool_timeout_sec=%d}"
                        .formatted(SERVER, quoted(molecule), names, START_MAX_SECONDS, CALL_MAX_SECONDS);
        return new ProgramTools(List.of("--config", server), Map.of(), Optional.empty());
    }

    /** It reads settings in its home alone, so it has one of its own beside the agent's, where its sessions are too; one that somebody set is theirs. */
    private static ProgramTools forGemini(String molecule, Map<String, String> environment) throws IOException {
        String given = environment.getOrDefault(HOME_OF_GEMINI, "");
        if (!given.isEmpty()) {
            return new ProgramTools(List.of(), Map.of(), Optional.empty());
        }
        Path home = Path.of(environment.getOrDefault("HOME", System.getProperty("user.home")), ".molecule", "gemini");
        var json = JSON.createObjectNode();
        json.putObject("security").putObject("auth").put("selectedType", "gemini-api-key");
        json.putObject("privacy").put("usageStatisticsEnabled", false);
        json.putObject("general").put("enableAutoUpdate", false);
        var variables = server(json, molecule)
                .put("trust", true)
                .put("timeout", CALL_MAX_SECONDS * 1000L)
                .putObject("env");
        PASSED_ON.stream()
                .filter(environment::containsKey)
                .forEach(name -> variables.put(name, "$" + name)); // it fills them in
        Path folder = Files.createDirectories(home.resolve(".gemini"));
        Path fresh = Files.createTempFile(folder, "settings", ".new");
        Files.write(fresh, JSON.writeValueAsBytes(json));
        Files.move(fresh, folder.resolve("settings.json"), StandardCopyOption.REPLACE_EXISTING);
        return new ProgramTools(List.of(), Map.of(HOME_OF_GEMINI, home.toString()), Optional.empty());
    }

    private static ObjectNode server(ObjectNode json, String molecule) {
        var server = json.putObject("mcpServers").putObject(SERVER).put("command", molecule);
        server.putArray("args").add("mcp");
        return server;
    }

    /** A string of TOML, which in this is JSON's. */
    private static String quoted(String text) {
        return JSON.getNodeFactory().textNode(text).toString();
    }

    @Override
    public void close() throws IOException {
        if (file.isPresent()) {
            Files.deleteIfExists(file.get());
        }
    }
}
