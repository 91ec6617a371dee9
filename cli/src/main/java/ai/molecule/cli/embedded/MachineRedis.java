package ai.molecule.cli.embedded;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A Valkey or Redis that this machine has installed, recent enough for production. */
public final class MachineRedis {

    private static final List<String> PROGRAMS = List.of("valkey-server", "redis-server");
    private static final Pattern VERSION = Pattern.compile("(?:Valkey|Redis) server v=(\\d{1,4})\\.(\\d{1,4})");
    private static final int ANSWER_SECONDS = 5;
    private static final int ANSWER_MAX_BYTES = 4096;

    /** Below it nobody mends what is found. */
    private static final int MAJOR = 7;

    private static final int MINOR = 2;

    private MachineRedis() {}

    /**
     * The first on the path that says it is of 7.2 or later, Valkey before Redis.
     *
     * @param path as the variable PATH has it
     */
    public static Optional<Path> find(String path) {
        return PROGRAMS.stream()
                .flatMap(program -> Stream.of(path.split(File.pathSeparator))
                        .filter(folder ->
                                folder.startsWith("/")) // a program is not taken from wherever one happens to be
                        .map(folder -> Path.of(folder, program)))
                .filter(Files::isExecutable)
                .filter(MachineRedis::isRecent)
                .findFirst();
    }

    private static boolean isRecent(Path program) {
        try {
            var process = new ProcessBuilder(program.toString(), "--version")
                    .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try {
                if (!process.waitFor(ANSWER_SECONDS, TimeUnit.SECONDS)) {
                    return false;
                }
                return isRecent(
                        new String(process.getInputStream().readNBytes(ANSWER_MAX_BYTES), StandardCharsets.UTF_8));
            } finally {
                process.destroyForcibly();
            }
        } catch (IOException notAProgram) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static boolean isRecent(String answer) {
        var version = VERSION.matcher(answer);
        if (!version.find()) {
            return false;
        }
        int major = Integer.parseInt(version.group(1));
        return major > MAJOR || (major == MAJOR && Integer.parseInt(version.group(2)) >= MINOR);
    }
}
