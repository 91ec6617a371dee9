package ai.molecule.cli.data;

import ai.molecule.cli.LaunchFailure;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Where one platform keeps everything, and the names of what lies inside. Only its owner can look into it.
 *
 * @param root absolute, without symbolic links in its own name resolved
 */
public record DataFolder(Path root) {

    /** What every data folder has. */
    private static final Set<String> OURS = Set.of("secrets", "pids");

    /** What may be there before: laid there by its owner, or by the system that made a volume of it. */
    private static final Set<String> LAID_BEFORE =
            Set.of("binaries", "logs", "secrets", "pids", "org-templates", "templates", "plugins", "lost+found");

    /** Names the folder without touching it, for commands that only look. */
    public static DataFolder at(Path path) {
        return new DataFolder(path.toAbsolutePath().normalize());
    }

    /**
     * Makes the folder, or takes an existing one, and closes it to others.
     *
     * @throws LaunchFailure when it cannot be made, read or written, or is somebody's with other things in it, which stays as it is then
     */
    public static DataFolder open(Path path) {
        var folder = at(path);
        try {
            folder.requireOurs();
            PrivateFiles.createFolder(folder.root);
            for (Path inside : new Path[] {folder.logs(), folder.secrets(), folder.pids()}) {
                PrivateFiles.createFolder(inside);
            }
            if (!Files.isReadable(folder.root) || !Files.isWritable(folder.root)) {
                throw new IOException("not readable and writable");
            }
            return folder;
        } catch (IOException e) {
            throw LaunchFailure.usersTurn("Cannot use the data folder " + folder.root + " (" + PrivateFiles.reason(e)
                    + "); give this user access to it or choose another one with --data.");
        }
    }

    /** Whether nothing is there yet: neither the folder nor anything in it. */
    public boolean isNew() throws IOException {
        return !Files.isDirectory(root) ? !Files.exists(root) : names().isEmpty();
    }

    private void requireOurs() throws IOException {
        if (!Files.isDirectory(root)) {
            return; // making it says what is wrong
        }
        var names = names();
        if (names.containsAll(OURS) || LAID_BEFORE.containsAll(names)) {
            return;
        }
        names.removeAll(LAID_BEFORE);
        throw LaunchFailure.usersTurn(root + " is no data folder of Molecule: it has " + names.first()
                + " in it. It stays as it is; name a new or an empty folder with --data.");
    }

    private TreeSet<String> names() throws IOException {
        try (var inside = Files.list(root)) {
            return inside.map(each -> String.valueOf(each.getFileName()))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    public Path lock() {
        return root.resolve("lock");
    }

    public Path runFile() {
        return root.resolve("run.json");
    }

    public Path secrets() {
        return root.resolve("secrets");
    }

    public Path logs() {
        return root.resolve("logs");
    }

    /** One file per child process, named like the child, holding its process id. */
    public Path pids() {
        return root.resolve("pids");
    }

    /** The process that starts the platform's JVM again when that ends by itself; whoever stops the platform stops that one. */
    public PidFile launcher() {
        return new PidFile(root.resolve("launcher.pid"));
    }

    /** Named pipe whose only writer is the launcher. */
    public Path lifeline() {
        return root.resolve("lifeline");
    }

    public Path binaries() {
        return root.resolve("binaries");
    }

    public Path postgres() {
        return root.resolve("postgres");
    }

    /** Where the embedded PostgreSQL listens in production. */
    public Path postgresSockets() {
        return root.resolve("postgres-sockets");
    }

    public Path redis() {
        return root.resolve("redis");
    }

    public Path workspaces() {
        return root.resolve("workspaces");
    }

    /** Tells this platform's containers from another's on the same engine; the same at every start. */
    public String platformId() {
        return "up-" + UUID.nameUUIDFromBytes(root.toString().getBytes(StandardCharsets.UTF_8));
    }

    /** Organisations that lie ready to be imported, a folder each; the user may add his own. */
    public Path organisations() {
        return root.resolve("org-templates");
    }

    /** The log of a service or server. */
    public Path log(String name) {
        return logs().resolve(name + ".log");
    }
}
