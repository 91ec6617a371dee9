package ai.molecule.system;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestWatcher;

/**
 * Keeps the logs of the platforms that ran when a test failed, in {@code target/failed/<class>.<test>/}, and prints where: their data folders
 * are deleted with the class, and a failure on a busy machine is seldom seen a second time. Found by its name in {@code META-INF/services}.
 */
public final class KeepingLogs implements TestWatcher {

    /** Of one file: what is wrong stands at the end. */
    private static final long FILE_MAX_BYTES = 20L * 1024 * 1024;

    private static final List<Platform> RUNNING = new CopyOnWriteArrayList<>();

    static void begin(Platform platform) {
        RUNNING.add(platform);
    }

    static void end(Platform platform) {
        RUNNING.remove(platform);
    }

    @Override
    public void testFailed(ExtensionContext test, Throwable cause) {
        String name = test.getRequiredTestClass().getSimpleName() + "."
                + test.getTestMethod().map(method -> method.getName()).orElse(test.getDisplayName());
        for (int number = 0; number < RUNNING.size(); number++) {
            Path kept = Path.of("target", "failed", name, String.valueOf(number));
            try {
                keep(RUNNING.get(number), kept);
                System.err.println(name + " failed; the logs of its platform are in " + kept.toAbsolutePath());
            } catch (IOException e) {
                System.err.println(name + " failed, and the logs of its platform could not be kept: " + e);
            }
        }
    }

    private static void keep(Platform platform, Path folder) throws IOException {
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("up.err"), platform.standardError());
        Path logs = platform.data().resolve("logs");
        try (var files = Files.walk(logs)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                if (Files.size(file) <= FILE_MAX_BYTES) {
                    Path copy = folder.resolve(logs.relativize(file).toString());
                    Files.createDirectories(copy.getParent());
                    Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
                }
            }
        }
    }
}
