package ai.molecule.runtime.platform;

import ai.molecule.sdk.PlatformException;
import ai.molecule.sdk.WorkspaceClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What an agent is told once in its life. A marker in its folder is written before the prompt is sent, so that no crash and
 * no restart repeats it; a prompt that could not be sent is lost.
 */
public final class InitialPrompt implements Routines.Routine {

    /** How the ids of such messages begin. */
    public static final String ID_PREFIX = "initial-";

    static final int PROBES_MAX = 30;
    static final int ATTEMPTS_MAX = 5;

    private static final Logger LOGGER = LoggerFactory.getLogger(InitialPrompt.class);
    private static final String MARKER = ".initial_prompt_done";
    private static final Duration TIMEOUT = Duration.ofMinutes(10);

    private final WorkspaceClient self;
    private final String prompt;
    private final List<Path> folders;
    private final BooleanSupplier ready;
    private final Duration second;

    /**
     * @param folders where the marker may lie: the first that can be written to gets it
     * @param ready whether the agent answers and the platform knows it; asked up to 30 times, a second apart
     * @param second a second; less in tests
     */
    public InitialPrompt(
            WorkspaceClient self, String prompt, List<Path> folders, BooleanSupplier ready, Duration second) {
        this.self = self;
        this.prompt = prompt;
        this.folders = List.copyOf(folders);
        this.ready = ready;
        this.second = second;
    }

    @Override
    public void run() throws InterruptedException {
        if (prompt.isEmpty() || !mark()) {
            return;
        }
        if (isReady()) {
            send();
        } else {
            LOGGER.warn("initial prompt skipped: the agent is not ready");
        }
    }

    /** Whether the prompt is this start's: it is nobody's when no marker can be left. */
    private boolean mark() {
        if (folders.stream().anyMatch(folder -> Files.exists(folder.resolve(MARKER)))) {
            return false;
        }
        for (Path folder : folders) {
            try {
                Files.write(
                        folder.resolve(MARKER),
                        "attempted".getBytes(StandardCharsets.UTF_8),
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.WRITE);
                return true;
            } catch (FileAlreadyExistsException meanwhile) {
                return false;
            } catch (IOException notHere) {
                LOGGER.atDebug().addKeyValue("folder", folder).log("no marker here");
            }
        }
        LOGGER.warn("initial prompt skipped: no marker can be written, it would be repeated at every start");
        return false;
    }

    private boolean isReady() throws InterruptedException {
        for (int probe = 1; probe <= PROBES_MAX; probe++) {
            if (ready.getAsBoolean()) {
                return true;
            }
            Thread.sleep(second);
        }
        return false;
    }

    private void send() throws InterruptedException {
        String id = ID_PREFIX + UUID.randomUUID().toString().substring(0, 8);
        for (int attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
            try {
                self.tellSelf(id, prompt, TIMEOUT);
                LOGGER.atInfo().addKeyValue("attempt", attempt).log("initial prompt answered");
                return;
            } catch (PlatformException e) {
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                LOGGER.atWarn()
                        .addKeyValue("attempt", attempt)
                        .addKeyValue("reason", e.getMessage())
                        .log("initial prompt not answered");
            }
            if (attempt < ATTEMPTS_MAX) {
                Thread.sleep(second.multipliedBy(1L << (attempt - 1)));
            }
        }
    }
}
