package ai.molecule.provisioner.docker;

import ai.molecule.provisioner.backend.Backend;
import ai.molecule.provisioner.backend.BackendFixture;
import io.vertx.core.Vertx;

/** Agents as containers on the engine of this machine. */
abstract class DockerFixture extends BackendFixture {

    @SuppressWarnings("NullAway.Init")
    Vertx vertx;

    @SuppressWarnings("NullAway.Init")
    DockerSettings settings;

    @Override
    protected final Backend backend(Vertx vertx) {
        this.vertx = vertx;
        if (settings == null) {
            settings = TestEngine.settings(vertx);
        }
        return new DockerBackend(vertx, settings);
    }
}
