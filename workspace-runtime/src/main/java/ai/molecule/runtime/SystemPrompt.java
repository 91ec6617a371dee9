package ai.molecule.runtime;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** What a model is told before everything else: {@code system-prompt.md} beside the configuration, read at the start. */
final class SystemPrompt {

    private static final String FILE = "system-prompt.md";
    private static final int FILE_MAX_BYTES = 64 * 1024; // it may have to fit into an argument

    private SystemPrompt() {}

    /** Empty when there is none. @throws PreflightFailure when it is too large or cannot be read */
    static String read(Path folder) {
        Path file = folder.resolve(FILE);
        if (!Files.exists(file)) {
            return "";
        }
        try {
            if (Files.size(file) > FILE_MAX_BYTES) {
                throw new PreflightFailure("Prompt", file + " is larger than 64 KiB", "Make it smaller.");
            }
            return new String(Files.readAllBytes(file), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            throw new PreflightFailure(
                    "Prompt", file + " cannot be read: " + e, "Make it readable for the agent's user.");
        }
    }
}
