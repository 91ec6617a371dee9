package ai.molecule.system;

import ai.molecule.testkit.Waits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs {@code ./molecule} the way a person does: arguments in, standard output, standard error and an exit code out. */
public final class Launcher {

    /** A platform of a test lives for a minute, too short for the second compiler, which would take a third of the processor. */
    private static final Map<String, String> SHORT_LIVED = Map.of("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1");

    public static final Path SCRIPT = Path.of(System.getProperty("molecule.root", ".."))
            .toAbsolutePath()
            .normalize()
            .resolve("molecule");

    /** What a finished command left behind. */
    public record Result(int exitCode, String out, String err) {}

    private Launcher() {}

    /** What agents run. */
    public static Path runtimeJar() {
        run("--version");
        return build(SCRIPT).resolve("workspace-runtime.jar");
    }

    /** What the services run: a folder of jars. */
    public static Path libraries() {
        return libraries(SCRIPT);
    }

    /** @param script that was run before, and so has built what it starts */
    public static Path libraries(Path script) {
        return build(script).resolve("lib");
    }

    private static Path build(Path script) {
        var builds = script.resolveSibling("cli")
                .resolve("target")
                .resolve(script.equals(SCRIPT) ? "molecule-built" : "molecule");
        try {
            return builds.resolve(Files.readString(builds.resolve("current")).strip());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    public static Result run(String... arguments) {
        return run(Map.of(), arguments);
    }

    static Result run(Map<String, String> environment, String... arguments) {
        try {
            Path out = Files.createTempFile("molecule-out", ".txt");
            Path err = Files.createTempFile("molecule-err", ".txt");
            var process = start(environment, out, err, arguments);
            if (!process.waitFor(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new AssertionError("still running: " + String.join(" ", arguments));
            }
            var result = new Result(process.exitValue(), Files.readString(out), Files.readString(err));
            Files.delete(out);
            Files.delete(err);
            return result;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    static Process start(Map<String, String> environment, Path out, Path err, String... arguments) {
        return start(SCRIPT, environment, out, err, arguments);
    }

    /** @param script of another version than this */
    static Process start(Path script, Map<String, String> environment, Path out, Path err, String... arguments) {
        List<String> command = new ArrayList<>(List.of(script.toString()));
        command.addAll(List.of(arguments));
        var builder = new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
        builder.environment().keySet().removeAll(List.of("DATABASE_URL", "REDIS_URL", "ADMIN_TOKEN", "MOLECULE_ENV"));
        builder.environment().putAll(SHORT_LIVED);
        if (script.equals(SCRIPT)) { // another builds itself
            builder.environment().put("MOLECULE_BUILD", "."); // what Maven made before these tests
        }
        builder.environment().putAll(environment);
        try {
            return builder.start();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
