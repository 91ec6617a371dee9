package ai.molecule.runtime.rehearsed;

import ai.molecule.runtime.agent.AgentFailure;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The club's calendar, as it was shipped beside the agent's configuration.
 *
 * @param folder holds {@code calendar.csv} and {@code check}
 */
record Calendar(Path folder) {

    private static final int CHECK_SECONDS = 60;
    private static final int OUTPUT_MAX_BYTES = 64 * 1024;

    /** The events, a line each, without the header. */
    List<String> events() throws IOException {
        return Files.readAllLines(folder.resolve("calendar.csv")).stream()
                .skip(1)
                .filter(line -> !line.isBlank())
                .toList();
    }

    /** Runs the checks of one group, and says what they printed. */
    List<String> check(String group) throws IOException, InterruptedException {
        Path out = Files.createTempFile("check", ".txt");
        try {
            var process = new ProcessBuilder("sh", "check", group)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(out.toFile())
                    .start();
            if (!process.waitFor(CHECK_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new AgentFailure("./check %s took longer than %d s".formatted(group, CHECK_SECONDS));
            }
            try (var in = Files.newInputStream(out)) {
                var lines = new String(in.readNBytes(OUTPUT_MAX_BYTES), StandardCharsets.UTF_8)
                        .lines()
                        .toList();
                if (process.exitValue() > 1 || lines.isEmpty()) {
                    throw new AgentFailure("./check %s could not run: %s".formatted(group, lines));
                }
                return lines;
            }
        } finally {
            Files.deleteIfExists(out);
        }
    }
}
