package ai.molecule.provisioner.process;

import ai.molecule.provisioner.backend.WorkspaceFiles.Root;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.UUID;

/** One agent's folder, {@code <data>/workspaces/<id>}, readable by its owner only. */
record AgentFolder(Path root) {

    static AgentFolder of(Path data, UUID workspaceId) {
        return new AgentFolder(parentIn(data).resolve(workspaceId.toString()));
    }

    /** Where the folders of all agents are. */
    static Path parentIn(Path data) {
        return data.resolve("workspaces");
    }

    /** The folder an agent sees as {@code root}; its home is where it works. */
    static String nameOf(Root root) {
        return switch (root) {
            case CONFIGS -> "configs";
            case WORKSPACE, HOME -> "workspace";
            case PLUGINS -> "plugins";
        };
    }

    /** What the agent reads at start: {@code config.yaml} and {@code .auth_token}. */
    Path configs() {
        return root.resolve(nameOf(Root.CONFIGS));
    }

    /** What the agent works in; also its home. */
    Path workspace() {
        return root.resolve(nameOf(Root.WORKSPACE));
    }

    Path plugins() {
        return root.resolve(nameOf(Root.PLUGINS));
    }

    Path log() {
        return root.resolve("log").resolve("agent.log");
    }

    void create() throws IOException {
        var ownerOnly = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
        Files.createDirectories(root.getParent());
        for (Path folder : new Path[] {root, configs(), workspace(), plugins(), root.resolve("log")}) {
            Files.createDirectories(folder, ownerOnly);
        }
    }
}
