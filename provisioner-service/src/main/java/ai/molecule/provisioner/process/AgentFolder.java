package ai.molecule.provisioner.process;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** One agent's folder, {@code <data>/workspaces/<id>}, readable by its owner only. */
record AgentFolder(Path root) {

    private static final Pattern NAME = Pattern.compile("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}");
    private static final int FOLDERS_MAX = 10_000;

    static AgentFolder of(Path data, UUID workspaceId) {
        return new AgentFolder(data.resolve("workspaces").resolve(workspaceId.toString()));
    }

    /** What the agent reads at start: {@code config.yaml} and {@code .auth_token}. */
    Path configs() {
        return root.resolve("configs");
    }

    /** What the agent works in; also its home. */
    Path workspace() {
        return root.resolve("workspace");
    }

    Path log() {
        return root.resolve("log").resolve("agent.log");
    }

    void create() throws IOException {
        var ownerOnly = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
        Files.createDirectories(root.getParent());
        for (Path folder : new Path[] {root, configs(), workspace(), root.resolve("log")}) {
            Files.createDirectories(folder, ownerOnly);
        }
    }

    /** Workspaces that have a folder, at most 10,000. Other names are not ours and are left alone. */
    static Set<UUID> allBelow(Path data) throws IOException {
        try (var folders = Files.list(data.resolve("workspaces"))) {
            return folders.map(folder -> folder.getFileName().toString())
                    .filter(NAME.asMatchPredicate())
                    .limit(FOLDERS_MAX)
                    .map(UUID::fromString)
                    .collect(Collectors.toSet());
        } catch (NoSuchFileException none) {
            return Set.of();
        }
    }

    /** Deletes the folder and everything in it; links are deleted, not followed. */
    void delete() throws IOException {
        try {
            Files.walkFileTree(root, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    Files.deleteIfExists(file);
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException failure)
                        throws IOException {
                    Files.deleteIfExists(folder);
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (NoSuchFileException gone) {
            // deleted before
        }
    }
}
