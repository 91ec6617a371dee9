package ai.molecule.runtime.shell;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets the programs an agent starts run {@code molecule}: a script in a folder of the agent's, first on their {@code PATH}, because
 * another program of that name may be installed. It runs {@link OwnCommandMain} out of what the agent itself runs from.
 */
public final class OwnCommand {

    /** Where the script is; absent when there is none. */
    public static final String VARIABLE = "MOLECULE_COMMAND";

    private static final Logger LOGGER = LoggerFactory.getLogger(OwnCommand.class);
    private static final String NAME = "molecule";
    private static final String CACHE = "-XX:AOTCache=";

    private OwnCommand() {}

    /**
     * The environment with the command in it, and with what the command must know of the agent. As it is when the script cannot be
     * written.
     *
     * @param folder where the script lies; in one of its own when that cannot be written to
     * @param known what the command must know
     */
    public static Map<String, String> addedTo(Map<String, String> environment, Path folder, Map<String, String> known) {
        try {
            Path script = written(folder.toAbsolutePath());
            Map<String, String> whole = new HashMap<>(environment);
            whole.putAll(known);
            whole.put(VARIABLE, script.toString());
            String place = String.valueOf(script.getParent());
            whole.merge("PATH", place, (before, ours) -> ours + File.pathSeparator + before);
            return whole;
        } catch (IOException | UnsupportedOperationException e) {
            LOGGER.atWarn().addKeyValue("reason", e.toString()).log("the agent's programs have no molecule command");
            return environment;
        }
    }

    private static Path written(Path folder) throws IOException {
        try {
            return write(Files.createDirectories(folder));
        } catch (IOException readOnly) {
            return write(Files.createTempDirectory("molecule-")); // which nobody else can write to
        }
    }

    /** Whoever reads the old script meanwhile reads it to its end. */
    private static Path write(Path folder) throws IOException {
        Path script = folder.resolve(NAME);
        Path fresh = Files.createTempFile(folder, ".molecule", ".new");
        try {
            Files.write(fresh, text().getBytes(StandardCharsets.UTF_8));
            Files.setPosixFilePermissions(fresh, PosixFilePermissions.fromString("rwxr-xr-x"));
            return Files.move(fresh, script, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(fresh);
        }
    }

    private static String text() {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String classPath = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .map(each -> Path.of(each).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
        // The JVM writes its own warnings to standard output, which belongs to the protocol.
        List<String> words = List.of(
                java,
                "-Xmx48m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xlog:disable",
                "-Xlog:all=error:stderr");
        return "#!/bin/sh\nexec "
                + Stream.of(words.stream(), cache(), Stream.of("-cp", classPath, OwnCommandMain.class.getName()))
                        .flatMap(each -> each)
                        .map(OwnCommand::quoted)
                        .collect(Collectors.joining(" "))
                + " \"$@\"\n";
    }

    /** The agent's own archive of loaded classes shortens the command's start too. */
    private static Stream<String> cache() {
        return ProcessHandle.current().info().arguments().stream()
                .flatMap(Stream::of)
                .filter(argument -> argument.startsWith(CACHE))
                .map(argument ->
                        CACHE + Path.of(argument.substring(CACHE.length())).toAbsolutePath())
                .limit(1);
    }

    private static String quoted(String word) {
        return "'" + word.replace("'", "'\\''") + "'";
    }
}
