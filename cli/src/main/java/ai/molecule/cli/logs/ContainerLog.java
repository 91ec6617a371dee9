package ai.molecule.cli.logs;

import ai.molecule.cli.data.DataFolder;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.config.Env;
import ai.molecule.provisioner.docker.DockerHost;
import ai.molecule.provisioner.docker.DockerSettings;
import io.vertx.core.Vertx;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The log of an agent in a container: the engine keeps it. */
record ContainerLog(DataFolder data, Map<String, String> environment) {

    private static final int SECONDS = 15;

    /** Empty when there is no such container, or no engine. */
    Optional<String> find(String agentId) {
        var id = Ids.find(agentId);
        if (id.isEmpty()) {
            return Optional.empty();
        }
        var env = new HashMap<>(environment);
        env.putIfAbsent("MOLECULE_PLATFORM_ID", data.platformId());
        var vertx = Vertx.vertx();
        try {
            return new DockerHost(vertx, DockerSettings.fromEnv(new Env(env)))
                    .logOf(id.get())
                    .await(SECONDS, TimeUnit.SECONDS);
        } catch (Exception noEngine) {
            return Optional.empty();
        } finally {
            vertx.close();
        }
    }
}
