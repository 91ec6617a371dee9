package ai.molecule.provisioner.docker;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.provisioner.backend.WorkspaceFiles;
import ai.molecule.provisioner.backend.WorkspaceFiles.Root;
import ai.molecule.provisioner.backend.WorkspaceFilesContract;
import io.vertx.core.Vertx;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The agents' volumes, on the engine of this machine. */
class DockerFilesTest extends WorkspaceFilesContract {

    @SuppressWarnings("NullAway.Init")
    private DockerBackend backend;

    @SuppressWarnings("NullAway.Init")
    private ToolContainer shell;

    private final Set<UUID> workspaces = new HashSet<>();

    @Override
    protected WorkspaceFiles files(Vertx vertx) {
        var settings = TestEngine.settings(vertx);
        var engine = TestEngine.engine(vertx);
        var names = new Names(settings.platform());
        backend = new DockerBackend(vertx, settings);
        var folders = new Folders(new Containers(engine), names, new Volumes(engine, names));
        shell = new ToolContainer(engine, names, folders, new Images(engine, settings));
        return backend.files();
    }

    @Override
    protected UUID newWorkspace() {
        var workspace = UUID.randomUUID();
        workspaces.add(workspace);
        return workspace;
    }

    @Override
    protected void asAgent(String script) {
        var outcome =
                shell.run(id, Root.WORKSPACE, "set -e\n" + script, List.of()).await();
        assertThat(outcome.exit()).isZero();
    }

    @AfterEach
    void deleteVolumes() {
        workspaces.forEach(workspace -> backend.delete(workspace).await());
    }

    @Test
    void what_is_written_belongs_to_the_agent() {
        write(Root.WORKSPACE, "a/b", "x");

        asAgent("test \"$(stat -c '%u %a' . a a/b | tr '\\n' ,)\" = '10001 755,10001 755,10001 644,'");
    }
}
