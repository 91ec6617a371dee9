package ai.molecule.cli.backup;

import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeCommand;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.data.DataFolder;
import ai.molecule.cli.data.PrivateFiles;
import ai.molecule.cli.data.RunningPlatforms;
import ai.molecule.common.db.Postgres;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Writes a platform into one file, whether it runs or not. */
@Command(
        name = "backup",
        description = "Back up the database and all agent files to one file, while the platform runs.")
public final class BackupCommand implements Callable<Integer> {

    @Parameters(paramLabel = "FILE", description = "Is made; nobody but you can read it.")
    private Path file = Path.of("");

    @Option(
            names = "--with-key",
            description = "With the key that secrets are sealed with: whoever has the file can then read them.")
    private boolean withKey;

    @Option(names = "--data", paramLabel = "DIR", description = MoleculeHome.DATA_DEFAULT)
    private @Nullable Path folder;

    @Option(names = "--json", description = "Print {\"file\",\"moment\",\"rows\",\"files\",\"with_key\"}.")
    private boolean json;

    private final Console console;
    private final MoleculeHome home;
    private final Map<String, String> environment;

    public BackupCommand(Console console, MoleculeHome home, Map<String, String> environment) {
        this.console = console;
        this.home = home;
        this.environment = environment;
    }

    @Override
    public Integer call() {
        if (Files.exists(file)) {
            throw LaunchFailure.usersTurn(file + " is there already; name another file.");
        }
        var data = RunningPlatforms.meant(home, folder);
        var interruption = Interruption.watch(console, "no backup was made");
        try (interruption) {
            var key = EncryptionKey.find(data, environment);
            if (!PlatformDatabase.isNamed(environment)) {
                interruption.begin(); // a server may be started
            }
            try (var database = PlatformDatabase.open(data, environment);
                    var connection = Postgres.connect(database.url());
                    var backup = new BackupWriter(file.toAbsolutePath())) {
                interruption.cutsOff(() -> connection.abort(Runnable::run));
                interruption.cutsOff(backup::cutOff);
                tell(write(data, key, DatabaseCopy.begin(connection), backup));
            }
            interruption.isWhole();
        } catch (SQLException e) {
            return interruption.orElse(LaunchFailure.broken(
                    "The database could not be copied (" + e.getMessage() + "); no backup was made.", e));
        } catch (IOException e) {
            return interruption.orElse(LaunchFailure.usersTurn("No backup was made (" + PrivateFiles.reason(e) + ")."));
        }
        return 0;
    }

    private record Written(String moment, long rows, FolderCopy folders) {}

    private Written write(DataFolder data, EncryptionKey key, DatabaseCopy database, BackupWriter backup)
            throws SQLException, IOException {
        var tables = database.tables();
        if (tables.isEmpty()) {
            throw LaunchFailure.usersTurn("There is no platform in this database; check --data and DATABASE_URL.");
        }
        var manifest = new Manifest(
                MoleculeCommand.VERSION,
                database.moment(),
                database.versions(),
                tables,
                database.partitions(),
                withKey,
                key.check());
        backup.text("manifest.json", manifest.toJson().encodePrettily());
        if (withKey) {
            backup.text("secrets/" + EncryptionKey.FILE, key.text() + "\n");
        }
        long rows = 0;
        var counts = new JsonObject();
        for (var table : tables) {
            long count = database.rows(table, backup);
            counts.put(table.schema() + "." + table.name(), count);
            rows += count;
        }
        backup.text(
                "database.json",
                new JsonObject()
                        .put("rows", counts)
                        .put("sequences", database.sequences())
                        .encodePrettily());
        var folders = new FolderCopy(data.root(), backup);
        folders.copy();
        backup.text("end.json", new JsonObject().put("files", folders.files()).encodePrettily());
        backup.finish();
        return new Written(manifest.created(), rows, folders);
    }

    /** The file has its name a moment later; its size does not change any more. */
    private void tell(Written written) {
        if (written.folders().unreadable() > 0) {
            console.say("%d files could not be read and are not in it; run it as the user whose they are."
                    .formatted(written.folders().unreadable()));
        }
        if (!withKey) {
            console.say(
                    "Secrets in it are sealed; the key is not in it (--with-key). Keep that apart from it: restore asks for it.");
        }
        console.say("Docker's volumes, pods' claims and folders lent to agents are not in it.");
        if (json) {
            console.out(new JsonObject()
                    .put("file", file.toAbsolutePath().toString())
                    .put("moment", written.moment())
                    .put("rows", written.rows())
                    .put("files", written.folders().files())
                    .put("with_key", withKey)
                    .encode());
        } else {
            console.out("%s: the platform of %s, %d rows and %d files"
                    .formatted(
                            Objects.requireNonNull(file.getFileName()),
                            written.moment(),
                            written.rows(),
                            written.folders().files()));
        }
    }
}
