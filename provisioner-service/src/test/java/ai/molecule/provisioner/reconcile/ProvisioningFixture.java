package ai.molecule.provisioner.reconcile;

import ai.molecule.provisioner.process.AgentCommand;
import ai.molecule.provisioner.testing.Provisioning;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A provisioner with real processes; what a test started is gone after it. */
@ExtendWith(VertxExtension.class)
abstract class ProvisioningFixture {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path data;

    @SuppressWarnings("NullAway.Init")
    Provisioning provisioning;

    @AfterEach
    void close() {
        provisioning.close();
    }

    Provisioning with(Vertx vertx, AgentCommand command) {
        provisioning = new Provisioning(vertx, data, command);
        return provisioning;
    }
}
