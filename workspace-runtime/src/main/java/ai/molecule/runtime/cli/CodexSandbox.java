package ai.molecule.runtime.cli;

import ai.molecule.runtime.agent.NotReady;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sandbox that {@code codex} brings along, {@code bwrap}. It wants a namespace of users, which neither every machine nor an agent that is
 * root without its capabilities may have; then every command of {@code codex}, and every change of a file, fails. So it is tried at the
 * agent's start. From tier 3 on, where the platform's own tool {@code run} goes without namespaces too, {@code codex} is started without
 * it; below, where nothing else would hold it, an agent that is to change files does not start.
 */
final class CodexSandbox {

    private static final Logger LOGGER = LoggerFactory.getLogger(CodexSandbox.class);
    private static final int TRY_SECONDS = 20;
    private static final int WORDS_MAX_BYTES = 8 * 1024;
    private static final int SENTENCE_MAX_CHARS = 200;

    private CodexSandbox() {}

    /**
     * Whether it is to be used.
     *
     * @throws NotReady where nothing else would hold the program
     */
    static boolean holds(String codex, ProgramAllowance allowance, Map<String, String> environment) {
        if (allowance.permission() == Permission.ALL) {
            return false; // nobody asked for one
        }
        Optional<String> trouble = trouble(codex, environment);
        if (trouble.isEmpty()) {
            return true;
        }
        if (allowance.permission() == Permission.READ) {
            warn(trouble.get(), "it runs no command, so it sees files by the platform's tools alone");
            return true;
        }
        if (allowance.tier() < ProgramAllowance.TIER_OF_TRUST) {
            throw new NotReady(
                    "Sandbox",
                    "the sandbox of codex does not work here (" + trouble.get() + "), and tier " + allowance.tier()
                            + " lets nothing change files without one",
                    "Allow namespaces of users, give the workspace tier 3, or set runtime_config.permission_mode to read.");
        }
        warn(trouble.get(), "it is started without, held by the agent's user and limits, as commands of run are");
        return false;
    }

    private static void warn(String trouble, String then) {
        LOGGER.atWarn().addKeyValue("sandbox", trouble).log("the sandbox of codex does not work here: " + then);
    }

    /** What it complains of; empty when it works, and when something else was wrong: only what is known to fail is gone without. */
    private static Optional<String> trouble(String codex, Map<String, String> environment) {
        @Nullable Path words = null;
        try {
            words = Files.createTempFile("codex-sandbox", ".txt");
            var builder = new ProcessBuilder(
                            codex,
                            "sandbox",
                            "--config",
                            "sandbox_mode=\"workspace-write\"",
                            "--",
                            "/bin/sh",
                            "-c",
                            ":")
                    .redirectErrorStream(true)
                    .redirectOutput(words.toFile());
            builder.environment().clear();
            builder.environment().putAll(environment);
            Path folder = Path.of(environment.getOrDefault("MOLECULE_WORKSPACE_FOLDER", ""));
            if (Files.isDirectory(folder)) {
                builder.directory(folder.toAbsolutePath().toFile());
            }
            Process trial = builder.start();
            trial.getOutputStream().close();
            boolean ended = trial.waitFor(TRY_SECONDS, TimeUnit.SECONDS);
            trial.descendants().forEach(ProcessHandle::destroyForcibly);
            trial.destroyForcibly();
            return ended && trial.exitValue() != 0 ? complaint(words) : Optional.empty();
        } catch (IOException unknown) {
            return Optional.empty();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        } finally {
            delete(words);
        }
    }

    private static Optional<String> complaint(Path words) throws IOException {
        byte[] begun;
        try (var in = Files.newInputStream(words)) {
            begun = in.readNBytes(WORDS_MAX_BYTES);
        }
        List<String> lines = new ArrayList<>();
        new String(begun, StandardCharsets.UTF_8)
                .lines()
                .map(String::strip)
                .filter(line -> line.startsWith("bwrap: ") || line.contains("bubblewrap"))
                .forEach(lines::add);
        return lines.isEmpty()
                ? Optional.empty()
                : Optional.of(lines.getLast()
                        .substring(
                                0, Math.min(SENTENCE_MAX_CHARS, lines.getLast().length())));
    }

    private static void delete(@Nullable Path file) {
        try {
            if (file != null) {
                Files.deleteIfExists(file);
            }
        } catch (IOException left) {
            LOGGER.atDebug().log("a file was left in the folder for temporary ones");
        }
    }
}
