package ai.molecule.system;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** Official clients for JavaScript, each kind in a folder of the build. Whoever has no Node, or no npm registry the first time, skips. */
final class NodeClients {

    private static final Path ROOT = Path.of(System.getProperty("molecule.root", ".."));

    /** Of A2A, both versions. */
    static final NodeClients A2A = new NodeClients("a2a-js", "workspace-runtime", "a2a-1.0");

    /** Of MCP, both eras. */
    static final NodeClients MCP = new NodeClients("mcp-js", "system-tests", "@modelcontextprotocol/client");

    private final String name;
    private final Path folder;
    private final Path wanted;
    private final String installed;

    /**
     * @param module has the {@code package.json} among the resources of its tests
     * @param installed is there when all is
     */
    private NodeClients(String name, String module, String installed) {
        this.name = name;
        this.folder =
                Path.of(System.getProperty("basedir", "."), "target", name).toAbsolutePath();
        this.wanted =
                ROOT.resolve(module).resolve("src/test/resources").resolve(name).resolve("package.json");
        this.installed = installed;
    }

    /** A run of the script, which goes on by itself. */
    record Running(Process process, Path output) implements AutoCloseable {

        @Override
        public void close() {
            process.destroyForcibly();
        }
    }

    /** Skips the test where they are not to be had. */
    void require() throws Exception {
        String missing = missing();
        assumeTrue(missing.isEmpty(), missing);
    }

    /** Why they are not to be had; empty when they are. */
    synchronized String missing() throws Exception {
        if (ended("node", "--version") != 0) {
            return "node is not installed";
        }
        Files.createDirectories(folder);
        Files.copy(wanted, folder.resolve("package.json"), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        try (var script = NodeClients.class.getResourceAsStream("/" + name + "/conversation.mjs")) {
            Files.write(
                    folder.resolve("conversation.mjs"),
                    Objects.requireNonNull(script).readAllBytes());
        }
        if (!Files.isDirectory(folder.resolve("node_modules/" + installed))) {
            int code = ended(
                    "npm",
                    "install",
                    "--no-audit",
                    "--no-fund",
                    "--omit=optional",
                    "--omit=peer",
                    "--legacy-peer-deps");
            return code == 0 ? "" : name + " cannot be installed";
        }
        return "";
    }

    Running start(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("node", "conversation.mjs"));
        command.addAll(List.of(arguments));
        Path output = Files.createTempFile(folder, "said", ".txt");
        return new Running(
                new ProcessBuilder(command)
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start(),
                output);
    }

    /** What a run that ends by itself said, the last of each. */
    Map<String, String> seen(String... arguments) throws Exception {
        try (var running = start(arguments)) {
            boolean ended = running.process().waitFor(120, TimeUnit.SECONDS);
            String output = Files.readString(running.output());
            if (!ended || running.process().exitValue() != 0) {
                throw new AssertionError("the client " + (ended ? "failed: " : "did not end: ") + output);
            }
            Map<String, String> seen = new LinkedHashMap<>();
            for (String line :
                    output.lines().filter(line -> line.startsWith("{")).toList()) {
                var said = Platform.JSON.readTree(line);
                seen.put(said.path("what").asText(), said.path("value").toString());
            }
            return seen;
        }
    }

    private int ended(String... command) throws Exception {
        Files.createDirectories(folder);
        try {
            var process = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("log").toFile())
                    .start();
            boolean ended = process.waitFor(120, TimeUnit.SECONDS);
            process.destroyForcibly();
            return ended ? process.exitValue() : -1;
        } catch (IOException notInstalled) {
            return -1;
        }
    }
}
