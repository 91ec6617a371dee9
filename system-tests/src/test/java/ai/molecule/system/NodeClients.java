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

/** The official clients of A2A for JavaScript, in a folder of the build. Whoever has no Node, or no npm registry the first time, skips. */
final class NodeClients {

    private static final Path FOLDER =
            Path.of(System.getProperty("basedir", "."), "target", "a2a-js").toAbsolutePath();
    private static final Path PACKAGE = Path.of(
            System.getProperty("molecule.root", ".."),
            "workspace-runtime",
            "src",
            "test",
            "resources",
            "a2a-js",
            "package.json");

    private NodeClients() {}

    /** A run of the script, which goes on by itself. */
    record Running(Process process, Path output) implements AutoCloseable {

        @Override
        public void close() {
            process.destroyForcibly();
        }
    }

    /** Skips the test where they are not to be had. */
    static void require() throws Exception {
        String missing = missing();
        assumeTrue(missing.isEmpty(), missing);
    }

    /** Why they are not to be had; empty when they are. */
    static synchronized String missing() throws Exception {
        if (ended("node", "--version") != 0) {
            return "node is not installed";
        }
        Files.createDirectories(FOLDER);
        Files.copy(PACKAGE, FOLDER.resolve("package.json"), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        try (var script = NodeClients.class.getResourceAsStream("/a2a-js/conversation.mjs")) {
            Files.write(
                    FOLDER.resolve("conversation.mjs"),
                    Objects.requireNonNull(script).readAllBytes());
        }
        if (!Files.isDirectory(FOLDER.resolve("node_modules/a2a-1.0"))) {
            int installed = ended(
                    "npm",
                    "install",
                    "--no-audit",
                    "--no-fund",
                    "--omit=optional",
                    "--omit=peer",
                    "--legacy-peer-deps");
            return installed == 0 ? "" : "@a2a-js/sdk cannot be installed";
        }
        return "";
    }

    static Running start(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("node", "conversation.mjs"));
        command.addAll(List.of(arguments));
        Path output = Files.createTempFile(FOLDER, "said", ".txt");
        return new Running(
                new ProcessBuilder(command)
                        .directory(FOLDER.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start(),
                output);
    }

    /** What a run that ends by itself said, the last of each. */
    static Map<String, String> seen(String... arguments) throws Exception {
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

    private static int ended(String... command) throws Exception {
        Files.createDirectories(FOLDER);
        try {
            var process = new ProcessBuilder(command)
                    .directory(FOLDER.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(FOLDER.resolve("log").toFile())
                    .start();
            boolean ended = process.waitFor(120, TimeUnit.SECONDS);
            process.destroyForcibly();
            return ended ? process.exitValue() : -1;
        } catch (IOException notInstalled) {
            return -1;
        }
    }
}
