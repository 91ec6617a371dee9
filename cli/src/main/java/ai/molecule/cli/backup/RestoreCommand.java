package ai.molecule.cli.backup;

import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.Shell;
import ai.molecule.cli.data.DataFolder;
import ai.molecule.cli.data.FolderLock;
import ai.molecule.cli.data.PrivateFiles;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes a platform of a backup, where there is none. It is made beside its place and moved there when it is whole. */
@Command(
        name = "restore",
        description = "Restore a backup to a new data folder and, with DATABASE_URL, to an empty database.")
public final class RestoreCommand implements Callable<Integer> {

    /** A manifest names every table and column: a few hundred kilobytes at the very most. */
    private static final int TEXT_MAX_BYTES = 8 << 20;

    @Parameters(paramLabel = "FILE", description = "What backup wrote.")
    private Path file = Path.of("");

    @Option(
            names = "--key-file",
            paramLabel = "KEY",
            description =
                    "The key of the platform that it is of, where the backup has none: its secrets/encryption-key.")
    private @Nullable Path keyFile;

    @Option(names = "--data", paramLabel = "DIR", description = MoleculeHome.DATA_DEFAULT)
    private @Nullable Path folder;

    @Option(names = "--json", description = "Print {\"data\",\"moment\",\"rows\",\"files\"}.")
    private boolean json;

    private final Console console;
    private final MoleculeHome home;
    private final Map<String, String> environment;

    public RestoreCommand(Console console, MoleculeHome home, Map<String, String> environment) {
        this.console = console;
        this.home = home;
        this.environment = environment;
    }

    @Override
    public Integer call() throws IOException {
        if (!Files.isReadable(file) || Files.isDirectory(file)) {
            throw LaunchFailure.usersTurn("There is no file " + file + " that can be read.");
        }
        var data = DataFolder.at(home.dataFolder(folder));
        requireEmpty(data.root());
        var stage = DataFolder.at(data.root().resolveSibling(data.root().getFileName() + ".restoring"));
        if (FolderLock.isHeld(stage.lock())) {
            throw LaunchFailure.usersTurn("Somebody restores into " + data.root() + " just now.");
        }
        var interruption = Interruption.watch(console, "nothing was made");
        try (interruption;
                var backup = open(file, interruption)) {
            var manifest = Manifest.read(text(next(backup), "manifest.json", backup));
            restore(data, stage, manifest, backup, interruption);
        } catch (IOException e) {
            return interruption.orElse(LaunchFailure.usersTurn(
                    "The backup cannot be restored (" + PrivateFiles.reason(e) + "); nothing was made."));
        } catch (SQLException e) {
            return interruption.orElse(LaunchFailure.broken(
                    "The database took not all of it (" + e.getMessage() + "); nothing was made.", e));
        }
        return 0;
    }

    private static TarArchiveInputStream open(Path file, Interruption interruption) throws IOException {
        var raw = Files.newInputStream(file);
        interruption.cutsOff(raw::close);
        try {
            return BackupWriter.read(raw);
        } catch (IOException e) {
            raw.close();
            interruption.requireNone();
            throw LaunchFailure.usersTurn(file + " is no backup of Molecule.");
        }
    }

    private static void requireEmpty(Path folder) throws IOException {
        if (Files.isDirectory(folder)) {
            try (var inside = Files.list(folder)) {
                if (inside.findAny().isEmpty()) {
                    return;
                }
            }
        }
        if (Files.exists(folder)) {
            throw LaunchFailure.usersTurn(
                    "There is something in " + folder + " already; name another folder with --data.");
        }
    }

    /** @param stage where it is made; it gets its name when it is whole, so that nobody starts half of a platform */
    private void restore(
            DataFolder data,
            DataFolder stage,
            Manifest manifest,
            TarArchiveInputStream backup,
            Interruption interruption)
            throws IOException, SQLException {
        var entry = next(backup);
        var key = key(manifest, entry, backup);
        if (manifest.withKey()) {
            entry = next(backup);
        }
        if (!key.check().equals(manifest.keyCheck())) {
            throw LaunchFailure.usersTurn(
                    "This is not the key that the backup's secrets are sealed with; nothing was made.");
        }
        takeAway(stage); // of one that was killed
        try {
            DataFolder.open(stage.root());
            key.write(stage);
            var lock = FolderLock.tryAcquire(stage.lock())
                    .orElseThrow(() -> LaunchFailure.usersTurn("Somebody restores into " + data.root() + " just now."));
            long rows;
            long files;
            var folders = new FolderLoad(stage.root());
            try (var database = PlatformDatabase.make(stage, environment, lock);
                    var tables = DatabaseLoad.begin(manifest, database.url(), interruption)) {
                load(entry, backup, tables, folders);
                folders.finishFolders();
                tables.commit();
                rows = tables.rows();
                files = folders.files();
            }
            Files.deleteIfExists(data.root());
            Files.move(stage.root(), data.root(), StandardCopyOption.ATOMIC_MOVE);
            interruption.isWhole();
            tell(data, manifest, rows, files);
            tellAside(folders);
        } finally {
            takeAway(stage);
        }
    }

    private EncryptionKey key(Manifest manifest, TarArchiveEntry entry, TarArchiveInputStream backup)
            throws IOException {
        if (manifest.withKey()) {
            return new EncryptionKey(
                    text(entry, "secrets/" + EncryptionKey.FILE, backup).strip());
        }
        if (keyFile != null) {
            return EncryptionKey.read(keyFile);
        }
        String variable = environment.getOrDefault("SECRETS_ENCRYPTION_KEY", "");
        if (variable.isEmpty()) {
            throw LaunchFailure.usersTurn("The secrets of this backup are sealed and their key is not in it;"
                    + " name the file of that platform's secrets/encryption-key with --key-file.");
        }
        return new EncryptionKey(variable);
    }

    private static void load(
            TarArchiveEntry first, TarArchiveInputStream backup, DatabaseLoad tables, FolderLoad folders)
            throws IOException, SQLException {
        var entry = first;
        while (!entry.getName().equals("end.json")) {
            String name = entry.getName();
            if (name.startsWith("tables/")) {
                tables.part(name.substring("tables/".length(), name.lastIndexOf('/')), backup);
            } else if (name.equals("database.json")) {
                tables.finishTables(json(text(entry, name, backup)));
            } else if (FolderLoad.isOurs(name)) {
                folders.place(entry, backup);
            } else {
                throw new IOException("it has an entry that no backup has: " + name);
            }
            entry = next(backup);
        }
        long expected = json(text(entry, "end.json", backup)).getLong("files", 0L);
        if (folders.read() != expected) {
            throw new IOException("%d files instead of %d".formatted(folders.read(), expected));
        }
    }

    private static JsonObject json(String text) throws IOException {
        try {
            return new JsonObject(text);
        } catch (DecodeException e) {
            throw new IOException("an entry of it is no JSON", e);
        }
    }

    private static TarArchiveEntry next(TarArchiveInputStream backup) throws IOException {
        var entry = backup.getNextEntry();
        if (entry == null) {
            throw new IOException("it ends before its end");
        }
        return entry;
    }

    private static String text(TarArchiveEntry entry, String name, InputStream content) throws IOException {
        if (!entry.getName().equals(name)) {
            throw new IOException("it has %s where %s should be".formatted(entry.getName(), name));
        }
        byte[] bytes = content.readNBytes(TEXT_MAX_BYTES);
        if (bytes.length == TEXT_MAX_BYTES) {
            throw new IOException(name + " is too large");
        }
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static void takeAway(DataFolder stage) throws IOException {
        if (Files.exists(stage.root())) {
            try (var all = Files.walk(stage.root())) {
                for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(path);
                }
            }
        }
    }

    private void tellAside(FolderLoad folders) {
        if (folders.asideCount() > 0) {
            console.say("%d could not be made under their own names:".formatted(folders.asideCount()));
            folders.aside().forEach(line -> console.say("  " + line));
            if (folders.asideCount() > folders.aside().size()) {
                console.say("  and %d more"
                        .formatted(folders.asideCount() - folders.aside().size()));
            }
        }
    }

    private void tell(DataFolder data, Manifest manifest, long rows, long files) {
        if (json) {
            console.out(new JsonObject()
                    .put("data", data.root().toString())
                    .put("moment", manifest.created())
                    .put("rows", rows)
                    .put("files", files)
                    .encode());
        } else {
            console.out("%s holds the platform of %s: %d rows, %d files"
                    .formatted(data.root(), manifest.created(), rows, files));
        }
        console.say("Start it with: ./molecule up"
                + (folder == null ? "" : " --data " + Shell.quoted(data.root().toString())));
    }
}
