package ai.molecule.runtime;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;

/**
 * The {@code config.yaml} of a workspace; what is left out has the default the platform has always had.
 *
 * @param name default {@code Workspace}
 * @param tier 1 when it is not a number
 * @param runtime the kind of agent, default {@code langgraph}
 * @param adapter what runs it: the runtime, unless the environment says otherwise
 * @param runtimeConfig settings of that kind, as they stand in the file
 * @param a2aPort {@code a2a.port}, default 8000
 * @param delegationTimeout {@code delegation.timeout} in seconds, default 120: how long a peer may take to answer
 */
public record WorkspaceConfig(
        String name,
        String description,
        String version,
        String role,
        int tier,
        String model,
        String runtime,
        String adapter,
        Map<String, Object> runtimeConfig,
        int a2aPort,
        Duration delegationTimeout) {

    private static final String FILE = "config.yaml";
    private static final int FILE_MAX_BYTES = 1024 * 1024;
    private static final int NESTING_MAX = 50;
    private static final Duration DELEGATION_MAX = Duration.ofMinutes(30);

    /** @throws PreflightFailure when the file is missing, not YAML, or has a value that cannot be used */
    static WorkspaceConfig read(Path folder) {
        var settings = new Settings(load(folder.resolve(FILE)));
        return new WorkspaceConfig(
                settings.text("name", "Workspace"),
                settings.text("description", ""),
                settings.text("version", "1.0.0"),
                settings.text("role", ""),
                settings.text("tier", "1").matches("\\d{1,4}") ? settings.number("tier", 1) : 1,
                settings.text("model", "anthropic:claude-opus-4-7"),
                settings.text("runtime", "langgraph"),
                settings.text("runtime", "langgraph"),
                settings.section("runtime_config").values(),
                settings.section("a2a").number("port", 8000),
                timeout(settings.section("delegation")));
    }

    /** The same with another adapter. */
    WorkspaceConfig runBy(String other) {
        return new WorkspaceConfig(
                name,
                description,
                version,
                role,
                tier,
                model,
                runtime,
                other,
                runtimeConfig,
                a2aPort,
                delegationTimeout);
    }

    private static Duration timeout(Settings delegation) {
        double seconds = delegation.decimal("timeout", 120);
        if (!(seconds > 0 && seconds <= DELEGATION_MAX.toSeconds())) {
            throw wrong("delegation.timeout is " + seconds, "Set it to seconds, more than 0 and at most 1800.");
        }
        return Duration.ofMillis((long) (seconds * 1000));
    }

    private static Map<?, ?> load(Path file) {
        try {
            if (Files.size(file) > FILE_MAX_BYTES) {
                throw wrong(file + " is larger than 1 MiB", "Make it smaller.");
            }
            var options = new LoaderOptions();
            options.setNestingDepthLimit(NESTING_MAX);
            Object content =
                    new Yaml(new SafeConstructor(options)).load(Files.readString(file, StandardCharsets.UTF_8));
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
        } catch (YAMLException e) {
            String firstLine =
                    String.valueOf(e.getMessage()).lines().findFirst().orElse("");
            throw wrong(file + " is not YAML: " + firstLine, "Correct the file.");
        }
    }

    private static PreflightFailure wrong(String detail, String fix) {
        return new PreflightFailure("Configuration", detail, fix);
    }
}
