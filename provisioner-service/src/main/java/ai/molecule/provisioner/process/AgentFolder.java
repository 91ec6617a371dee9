package ai.molecule.provisioner.process;

import ai.molecule.provisioner.backend.WorkspaceFiles.Root;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** One agent's folder, {@code <data>/workspaces/<id>}, readable by its owner only. */
record AgentFolder(Path root) {

    private static final Pattern NAME = Pattern.compile("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}");
    private static final int FOLDERS_MAX = 10_000;

    static final String TEMPORARY = "tmp";

    /** The names in it are ids, of which agents learn none but their own. */
    private static final Set<PosixFilePermission> PASSED = PosixFilePermissions.fromString("rwx--x--x");

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

    /** What the agent is told in confidence, readable by it alone and deleted by it once read. */
    Path secrets() {
        return handover().resolve("secrets.json");
    }

    Path handover() {
        return root.resolve("handover");
    }

    /** Its own {@code /tmp} where agents are users of their own, emptied at each start. */
    Path temporary() {
        return root.resolve(TEMPORARY);
    }

    Path log() {
        return root.resolve("log").resolve("agent.log");
    }

    void create() throws IOException {
        var ownerOnly = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
        Path all = root.getParent();
        Files.createDirectories(all);
        if (!Files.getPosixFilePermissions(all).equals(PASSED)) {
            Files.setPosixFilePermissions(all, PASSED);
        }
        for (Path folder :
                new Path[] {root, configs(), workspace(), plugins(), handover(), temporary(), root.resolve("log")}) {
            Files.createDirectories(folder, ownerOnly);
        }
    }

    /** Workspaces that have a folder, at most 10,000. Other names are not ours and are left alone. */
    static Set<UUID> allBelow(Path data) throws IOException {
        try (var folders = Files.list(parentIn(data))) {
            return folders.map(folder -> folder.getFileName().toString())
                    .filter(NAME.asMatchPredicate())
                    .limit(FOLDERS_MAX)
                    .map(UUID::fromString)
                    .collect(Collectors.toSet());
        } catch (NoSuchFileException none) {
            return Set.of();
        }
    }
}
