package ai.molecule.provisioner.process;

import ai.molecule.common.bus.registry.ManagedWorkspace;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.UUID;

/** The files an agent finds in its configs folder. Each appears whole or not at all. */
public final class AgentFiles {

    private static final String CONFIG = "config.yaml";
    private static final String TOKEN = ".auth_token";
    private static final String RUNTIME_LINE = "runtime:";

    /** The line stands near the top; how long the rest is, its writer decides. */
    private static final int CONFIG_READ_MAX = 256 * 1024;

    private AgentFiles() {}

    /** Readable by its owner only, and never half-written: the agent may be reading it. */
    static void writeToken(AgentFolder folder, String token) throws IOException {
        Path written = writeAside(folder, token);
        Files.move(
                written,
                folder.configs().resolve(TOKEN),
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
    }

    /** Writes a config for a workspace that has none. What a user put there stays, byte for byte. */
    static void writeConfigIfAbsent(AgentFolder folder, ManagedWorkspace workspace) throws IOException {
        Path written = writeAside(folder, GeneratedConfig.of(workspace));
        try {
            // A hard link is refused where a file exists, and shows the whole file where none does.
            Files.createLink(folder.configs().resolve(CONFIG), written);
        } catch (FileAlreadyExistsException edited) {
            // theirs counts
        } finally {
            Files.delete(written);
        }
    }

    /** The value of the first line that starts with {@code runtime:}, as restart wants it (registry contract, 5.7). */
    static Optional<String> configuredRuntime(AgentFolder folder) throws IOException {
        try (var config = Files.newInputStream(folder.configs().resolve(CONFIG))) {
            return runtimeIn(new String(config.readNBytes(CONFIG_READ_MAX), StandardCharsets.ISO_8859_1));
        } catch (NoSuchFileException none) {
            return Optional.empty();
        }
    }

    public static Optional<String> runtimeIn(String yaml) {
        return yaml.lines()
                .filter(line -> line.startsWith(RUNTIME_LINE))
                .findFirst()
                .map(line -> valueOf(line.substring(RUNTIME_LINE.length())))
                .filter(value -> value.matches("[A-Za-z0-9._-]{1,100}"));
    }

    private static String valueOf(String text) {
        int comment = text.indexOf(" #");
        return (comment < 0 ? text : text.substring(0, comment)).strip().replaceAll("^[\"']|[\"']$", "");
    }

    private static Path writeAside(AgentFolder folder, String text) throws IOException {
        Path aside = folder.configs().resolve("." + UUID.randomUUID());
        Files.createFile(aside, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        return Files.writeString(aside, text);
    }
}
