package ai.molecule.common.testing;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Lets every wait that names no end of its own last as long as a machine may take that does five other things: a wait whose condition
 * holds costs nothing, one that ends early is a test that fails for no reason. Found by its name in {@code META-INF/services}, as
 * Maven's settings allow.
 */
public final class PatientAwaits implements BeforeAllCallback {

    private static final Duration PATIENT = Duration.ofSeconds(60);

    @Override
    public void beforeAll(ExtensionContext tests) {
        Awaitility.setDefaultTimeout(PATIENT);
    }
}
