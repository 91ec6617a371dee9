package ai.molecule.testkit;

import java.time.Duration;
import java.util.NoSuchElementException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * How long tests wait. A wait whose condition holds costs nothing, and one that ends early is a test that fails for no reason: so each that
 * names no end of its own lasts as long as a machine may take that does five other things. Found by its name in
 * {@code META-INF/services}, as Maven's settings allow.
 */
public final class Waits implements BeforeAllCallback {

    /** For what has to come; also the end of every {@code await()} that names none. */
    public static final Duration PATIENCE = Duration.ofMinutes(3);

    @Override
    public void beforeAll(ExtensionContext tests) {
        Awaitility.setDefaultTimeout(PATIENCE);
        Awaitility.ignoreExceptionsByDefaultMatching(Waits::isNotThereYet);
    }

    /** The last of rows of which there is none yet: the wait goes on. */
    private static boolean isNotThereYet(Throwable thrown) {
        return thrown instanceof NoSuchElementException || thrown instanceof IndexOutOfBoundsException;
    }
}
