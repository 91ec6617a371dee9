package ai.molecule.system.compose;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Runs commands, each bounded in time.
 *
 * @param folder where
 * @param environment what they are given besides this process's own
 */
record Shell(Path folder, Map<String, String> environment) {

    /** Two minutes are enough for everything but building images. */
    private static final int MINUTES_MAX = 6;

    /** What a command that ended well wrote to standard output. */
    String run(String... command) {
        var ended = tryToRun(command);
        if (ended.exitCode() != 0) {
            throw new AssertionError(
                    String.join(" ", command) + " ended with " + ended.exitCode() + ": " + ended.err());
        }
        return ended.out().strip();
    }

    /** How a command ended; -1 and the reason when there is no such program. */
    Ended tryToRun(String... command) {
        try {
            Path out = Files.createTempFile("molecule-out", ".txt");
            Path err = Files.createTempFile("molecule-err", ".txt");
            try {
                var builder = new ProcessBuilder(List.of(command))
                        .directory(folder.toFile())
                        .redirectInput(ProcessBuilder.Redirect.from(
                                Path.of("/dev/null").toFile()))
                        .redirectOutput(out.toFile())
                        .redirectError(err.toFile());
                builder.environment().putAll(environment);
                var process = builder.start();
                if (!process.waitFor(MINUTES_MAX, TimeUnit.MINUTES)) {
                    process.destroyForcibly();
                    throw new AssertionError("still running: " + String.join(" ", command));
                }
                return new Ended(process.exitValue(), text(out), text(err));
            } finally {
                Files.delete(out);
                Files.delete(err);
            }
        } catch (IOException noSuchProgram) {
            return new Ended(-1, "", noSuchProgram.toString());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    /** What a command left behind. */
    record Ended(int exitCode, String out, String err) {}

    private static String text(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.UTF_8);
    }
}
