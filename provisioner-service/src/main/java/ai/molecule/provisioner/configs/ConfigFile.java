package ai.molecule.provisioner.configs;

import ai.molecule.common.json.ByteOrderMark;
import ai.molecule.provisioner.backend.FilePath;
import ai.molecule.provisioner.backend.WorkspaceFiles;
import ai.molecule.provisioner.backend.WorkspaceFiles.Root;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * What the platform needs of a {@code config.yaml}, found line by line: a file that is not quite YAML still says which runtime it
 * wants (registry contract, 5.1 and 5.7).
 *
 * @param text the whole file
 */
public record ConfigFile(String text) {

    public ConfigFile {
        text = ByteOrderMark.strip(text);
    }

    /** Where it is, below {@link Root#CONFIGS} and in a template. */
    public static final FilePath PATH = FilePath.of("config.yaml");

    private static final String RUNTIME = "runtime:";
    private static final Pattern LINE = Pattern.compile("^runtime:.*$", Pattern.MULTILINE);
    private static final String MODEL = "model:";
    private static final String COMMAND = "command:";
    private static final String RUNTIME_CONFIG = "runtime_config:";

    /** The lines stand near the top; how long the rest is, its writer decides. */
    private static final int READ_MAX = 256 * 1024;

    public static ConfigFile of(byte[] content) {
        return new ConfigFile(new String(content, 0, Math.min(content.length, READ_MAX), StandardCharsets.UTF_8));
    }

    /** The runtime an agent's own config names; empty without config or name. */
    public static Future<Optional<String>> runtimeIn(WorkspaceFiles files, UUID workspaceId) {
        return files.read(workspaceId, Root.CONFIGS, PATH)
                .map(found -> found.flatMap(content -> of(content.getBytes()).runtime()));
    }

    /** The value of the first line that starts with {@code runtime:}. */
    public Optional<String> runtime() {
        return text.lines()
                .filter(line -> line.startsWith(RUNTIME))
                .findFirst()
                .map(line -> valueOf(line, RUNTIME))
                .filter(ConfigFile::isRuntime);
    }

    /** The whole file with this runtime in the place of the one that it names, if any; as it is where such a name cannot stand in it. */
    public String withRuntime(String name) {
        if (!isRuntime(name) || runtime().filter(name::equals).isPresent()) {
            return text;
        }
        String line = RUNTIME + " " + name;
        var named = LINE.matcher(text);
        return named.find()
                ? named.replaceFirst(line)
                : text + (text.isEmpty() || text.endsWith("\n") ? "" : "\n") + line + "\n";
    }

    /** Whether a runtime's name can stand in a config as it is. */
    static boolean isRuntime(String name) {
        return name.matches("[A-Za-z0-9._-]{1,100}");
    }

    /** The value of the first {@code model:} at the top or inside {@code runtime_config:}. */
    public Optional<String> model() {
        return first(MODEL, true).filter(value -> !value.isEmpty() && value.length() <= 100);
    }

    /** Whether {@code runtime_config:} names a program of one's own in place of the one that the runtime is. */
    public boolean namesCommand() {
        return first(COMMAND, false).filter(value -> !value.isEmpty()).isPresent();
    }

    /** @param anywhere whether at the top, too, and not inside {@code runtime_config:} alone */
    private Optional<String> first(String wanted, boolean anywhere) {
        boolean inside = false;
        for (String line : text.lines().toList()) {
            boolean indented = line.startsWith(" ") || line.startsWith("\t");
            if (!indented && !line.isBlank()) {
                inside = line.startsWith(RUNTIME_CONFIG);
            }
            String key = line.strip();
            if (key.startsWith(wanted) && (indented ? inside : anywhere)) {
                return Optional.of(valueOf(key, wanted));
            }
        }
        return Optional.empty();
    }

    private static String valueOf(String line, String key) {
        String value = line.substring(key.length());
        int comment = value.indexOf(" #");
        return (comment < 0 ? value : value.substring(0, comment)).strip().replaceAll("^[\"']|[\"']$", "");
    }
}
