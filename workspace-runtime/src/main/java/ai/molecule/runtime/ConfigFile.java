package ai.molecule.runtime;

import ai.molecule.sdk.BoundedYaml;
import ai.molecule.sdk.ByteOrderMark;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;

/** The folder of {@code config.yaml}: that file, and the prompts that lie beside it. */
final class ConfigFile {

    private static final String NAME = "config.yaml";
    private static final int FILE_MAX_BYTES = 1024 * 1024;
    private static final int PROMPT_MAX_BYTES = 64 * 1024;

    private ConfigFile() {}

    /** @throws PreflightFailure when the file is missing, too large or no YAML */
    static Map<?, ?> load(Path folder) {
        Path file = folder.resolve(NAME);
        try {
            if (Files.size(file) > FILE_MAX_BYTES) {
                throw wrong(file + " is larger than 1 MiB", "Make it smaller.");
            }
            Object content = BoundedYaml.parse(Files.readString(file, StandardCharsets.UTF_8), false);
            if (content == null) {
                return Map.of();
            }
            if (content instanceof Map<?, ?> map) {
                return map;
            }
            throw wrong(file + " is not a mapping", "Write it as lines of key: value.");
        } catch (NoSuchFileException absent) {
            throw wrong(
                    file + " does not exist", "Create it, or point WORKSPACE_CONFIG_PATH to the folder that has it.");
        } catch (IOException e) {
            throw wrong(file + " cannot be read: " + e, "Make it readable for the agent's user.");
        } catch (IllegalArgumentException e) {
            throw wrong(file + " is not YAML: " + e.getMessage(), "Correct the file.");
        }
    }

    /**
     * A prompt that stands in the configuration ({@code key}), or else in a file beside it ({@code key_file}); empty when
     * there is neither, or no such file.
     *
     * @throws PreflightFailure when the file lies outside the folder, is larger than 64 KiB or cannot be read
     */
    static String prompt(Path folder, Settings settings, String key) {
        String inline = settings.text(key, "");
        String named = settings.text(key + "_file", "");
        if (!inline.isEmpty() || named.isEmpty()) {
            return inline;
        }
        Path file = folder.resolve(named).normalize();
        if (!file.startsWith(folder.normalize())) {
            throw wrong(key + "_file is " + named, "Name a file in the folder of config.yaml.");
        }
        try {
            if (!Files.exists(file)) {
                return "";
            }
            if (!file.toRealPath().startsWith(folder.toRealPath())) {
                throw wrong(key + "_file is " + named, "Name a file in the folder of config.yaml.");
            }
            if (Files.size(file) > PROMPT_MAX_BYTES) {
                throw wrong(file + " is larger than 64 KiB", "Make it smaller.");
            }
            return ByteOrderMark.strip(new String(Files.readAllBytes(file), StandardCharsets.UTF_8))
                    .strip();
        } catch (IOException e) {
            throw wrong(file + " cannot be read: " + e, "Make it readable for the agent's user.");
        }
    }

    static PreflightFailure wrong(String detail, String fix) {
        return new PreflightFailure("Configuration", detail, fix);
    }
}
