package ai.molecule.system;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.LifecycleMethodExecutionExceptionHandler;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;

/**
 * Keeps the logs of the platforms that ran when a test failed, in {@code target/failed/<class>.<test>/}, and prints where: their data folders
 * are deleted with the test or its class, and a failure on a busy machine is seldom seen a second time. Found by its name in
 * {@code META-INF/services}. It looks as the test's method throws, when folders of the test's own are still there; a platform that the
 * method itself has closed by then counts, too.
 */
public final class KeepingLogs
        implements BeforeEachCallback, TestExecutionExceptionHandler, LifecycleMethodExecutionExceptionHandler {

    /** Of one file: what is wrong stands at the end. */
    private static final long FILE_MAX_BYTES = 20L * 1024 * 1024;

    private static final List<Platform> RUNNING = new CopyOnWriteArrayList<>();
    private static final List<Platform> ENDED_IN_THIS_TEST = new CopyOnWriteArrayList<>();

    static void begin(Platform platform) {
        RUNNING.add(platform);
    }

    static void end(Platform platform) {
        if (RUNNING.remove(platform)) {
            ENDED_IN_THIS_TEST.add(platform);
        }
    }

    @Override
    public void beforeEach(ExtensionContext test) {
        ENDED_IN_THIS_TEST.clear();
    }

    @Override
    public void handleTestExecutionException(ExtensionContext test, Throwable failure) throws Throwable {
        keepAll(test);
        throw failure;
    }

    @Override
    public void handleBeforeAllMethodExecutionException(ExtensionContext test, Throwable failure) throws Throwable {
        keepAll(test);
        throw failure;
    }

    @Override
    public void handleBeforeEachMethodExecutionException(ExtensionContext test, Throwable failure) throws Throwable {
        keepAll(test);
        throw failure;
    }

    @Override
    public void handleAfterEachMethodExecutionException(ExtensionContext test, Throwable failure) throws Throwable {
        keepAll(test);
        throw failure;
    }

    private static void keepAll(ExtensionContext test) {
        String name = test.getRequiredTestClass().getSimpleName()
                + test.getTestMethod().map(method -> "." + method.getName()).orElse("");
        var platforms =
                Stream.concat(RUNNING.stream(), ENDED_IN_THIS_TEST.stream()).toList();
        for (int number = 0; number < platforms.size(); number++) {
            Path kept = Path.of("target", "failed", name, String.valueOf(number));
            try {
                keep(platforms.get(number), kept);
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
