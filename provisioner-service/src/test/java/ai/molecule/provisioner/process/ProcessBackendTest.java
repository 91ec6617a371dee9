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

    /** Takes over the secrets it was handed, as the runtime does, and runs what one of them says. */
    private static final String HANDED_OVER = """
            eval "$(awk '{
              for (i = 1; i <= length($0); i++) {
                c = substr($0, i, 1)
                if (!inside) { if (c == "\\"") { inside = 1; text = "" } }
                else if (c == "\\"" && key == "") { key = text; inside = 0 }
                else if (c == "\\"") { printf "export %s=\\047%s\\047\\n", key, text; key = ""; inside = 0 }
                else {
                  if (c == "\\\\") { i++; c = substr($0, i, 1); if (c == "n") c = "\\n" }
                  if (c == "\\047") c = "\\047\\\\\\047\\047"
                  text = text c
                }
              }
            }' "$MOLECULE_SECRETS_FILE")"
            eval "$SCRIPT"
            """;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path data;

    @Override
    protected Backend backend(Vertx vertx) {
        return new ProcessBackend(vertx, Provisioning.settings(data), ScriptedAgents.script(HANDED_OVER));
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
