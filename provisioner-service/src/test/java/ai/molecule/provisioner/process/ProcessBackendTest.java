package ai.molecule.provisioner.process;

import ai.molecule.provisioner.backend.AgentProcess;
import ai.molecule.provisioner.backend.Backend;
import ai.molecule.provisioner.backend.BackendContract;
import ai.molecule.provisioner.testing.Processes;
import ai.molecule.provisioner.testing.Provisioning;
import ai.molecule.provisioner.testing.ScriptedAgents;
import io.vertx.core.Vertx;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.io.TempDir;

/** Agents as child processes. */
class ProcessBackendTest extends BackendContract {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path data;

    @Override
    protected Backend backend(Vertx vertx) {
        return new ProcessBackend(vertx, Provisioning.settings(data), ScriptedAgents.script("eval \"$SCRIPT\""));
    }

    @Override
    protected void kill(AgentProcess process) {
        Processes.kill(process);
    }

    @Override
    protected Set<String> leftOf(UUID workspaceId) {
        return Files.exists(data.resolve("workspaces/" + workspaceId)) ? Set.of("folder") : Set.of();
    }

    @Override
    protected String tokenFile() {
        return data.resolve("workspaces/" + id + "/configs/.auth_token").toString();
    }
}
