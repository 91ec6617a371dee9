package ai.molecule.cli.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.cli.Console;
import ai.molecule.cli.EveryCommand;
import ai.molecule.cli.data.DataFolder;
import ai.molecule.cli.data.Secrets;
import ai.molecule.common.db.Postgres;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A platform that is copied into a file and made anew of it, on real PostgreSQL servers. */
class BackingUpTest {

    private static final String DATA = "--data";

    /** A platform of all five schemas, as it is after its first start, with a few rows of its own; backed up once without its key. */
    @TempDir
    static Path original;

    @TempDir
    static Path kept;

    @TempDir
    Path temp;

    private record Result(int exitCode, String out, String err) {}

    @BeforeAll
    static void makeAPlatform() throws Exception {
        var data = DataFolder.open(original);
        Secrets.load(data, false);
        Files.createDirectory(data.postgres());
        try (var database = PlatformDatabase.open(data, Map.of());
                var connection = Postgres.connect(database.url());
                var statement = connection.createStatement()) {
            for (String schema : DatabaseCopy.SCHEMAS) {
                Postgres.migrate(database.url(), schema, "latest");
            }
            statement.execute("""
                    INSERT INTO registry.workspaces (id, name, parent_id, status, status_since, managed, runtime, tier,
                        awareness_namespace, created_at, updated_at)
                    SELECT md5(n::text)::uuid, E'tab\\there, \\\\N and new\\nline ' || n, CASE WHEN n > 1 THEN md5((n - 1)::text)::uuid END,
                        'online', now(), true, 'echo', 2, 'a', now(), now()
                    FROM generate_series(1, 2000) AS n ORDER BY n DESC
                    """);
            statement.execute("SELECT log.add_activity_day(date '2026-01-31')");
            statement.execute("""
                    INSERT INTO log.activity (id, day, workspace_id, activity_type, created_at)
                    VALUES (gen_random_uuid(), '2026-01-31', gen_random_uuid(), 'a2a_receive', now())
                    """);
        }
        var agent = Files.createDirectories(data.workspaces().resolve("an-agent/files"));
        Files.writeString(agent.resolve("work.txt"), "half of it");
        Files.setPosixFilePermissions(agent.resolve("work.txt"), PosixFilePermissions.fromString("rwxr-x---"));
        Files.createSymbolicLink(agent.resolve("link"), Path.of("/etc/passwd"));
        Files.setPosixFilePermissions(
                Files.createDirectory(agent.resolve("closed")), PosixFilePermissions.fromString("r-x------"));
        var backup = run("backup", sealed().toString(), DATA, original.toString());
        assertThat(backup.exitCode()).as(backup.err()).isZero();
        assertThat(backup.out()).contains("1 files");
        assertThat(backup.err()).contains("the key is not in it");
    }

    private static Path sealed() {
        return kept.resolve("sealed.tar.gz");
    }

    @Test
    void a_platform_is_the_same_elsewhere() throws Exception {
        Path file = temp.resolve("with-key.tar.gz");
        assertThat(run("backup", file.toString(), "--with-key", DATA, original.toString())
                        .exitCode())
                .isZero();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        Path elsewhere = temp.resolve("elsewhere");

        var restored = run("restore", file.toString(), DATA, elsewhere.toString());

        assertThat(restored.exitCode()).as(restored.err()).isZero();
        var data = DataFolder.at(elsewhere);
        assertThat(tables(data)).isEqualTo(tables(DataFolder.at(original)));
        assertThat(data.secrets().resolve("encryption-key"))
                .hasSameTextualContentAs(original.resolve("secrets/encryption-key"));
        Path agent = data.workspaces().resolve("an-agent/files");
        assertThat(agent.resolve("work.txt")).hasContent("half of it");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(agent.resolve("work.txt"))))
                .isEqualTo("rwxr-x---");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(agent.resolve("closed"))))
                .isEqualTo("r-x------");
        assertThat(Files.readSymbolicLink(agent.resolve("link"))).isEqualTo(Path.of("/etc/passwd"));
        assertThat(run("restore", file.toString(), DATA, elsewhere.toString()).err())
                .contains("There is something in");
    }

    @Test
    void what_is_sealed_is_restored_with_its_key_only() throws Exception {
        Path elsewhere = temp.resolve("elsewhere");
        Path wrong = Files.writeString(temp.resolve("wrong"), "another key");

        assertThat(run("restore", sealed().toString(), DATA, elsewhere.toString())
                        .err())
                .contains("--key-file");
        assertThat(run("restore", sealed().toString(), DATA, elsewhere.toString(), "--key-file", wrong.toString())
                        .err())
                .contains("not the key");
        assertThat(elsewhere).doesNotExist();
        var right = run("restore", sealed().toString(), DATA, elsewhere.toString(), "--key-file", key());

        assertThat(right.exitCode()).as(right.err()).isZero();
    }

    /** Cut off in its tables: what had been made is taken away again. */
    @Test
    void of_half_a_backup_nothing_is_made() throws Exception {
        byte[] whole = Files.readAllBytes(sealed());
        Path half = Files.write(temp.resolve("half.tar.gz"), Arrays.copyOf(whole, whole.length / 2));
        Path elsewhere = temp.resolve("elsewhere");

        var restored = run("restore", half.toString(), DATA, elsewhere.toString(), "--key-file", key());

        assertThat(restored.exitCode()).isEqualTo(2);
        assertThat(restored.err()).contains("nothing was made");
        assertThat(temp)
                .isDirectoryNotContaining(path -> path.getFileName().toString().startsWith("elsewhere"));
    }

    @Test
    void what_is_no_backup_is_refused_in_a_sentence() throws Exception {
        Path text = Files.writeString(temp.resolve("text"), "hello");
        Path elsewhere = temp.resolve("elsewhere");

        assertThat(run("restore", text.toString(), DATA, elsewhere.toString()).err())
                .contains("no backup of Molecule");
        assertThat(run("restore", temp.toString(), DATA, elsewhere.toString()).exitCode())
                .isEqualTo(2);
        assertThat(run("backup", sealed().toString(), DATA, original.toString()).err())
                .contains("is there already");
        var nothing = run(
                "backup",
                temp.resolve("b").toString(),
                DATA,
                temp.resolve("nowhere").toString());
        assertThat(nothing.exitCode()).isEqualTo(2);
        assertThat(nothing.err()).contains("There is no platform in");
        assertThat(temp.resolve("b")).doesNotExist();
        assertThat(elsewhere).doesNotExist();
    }

    @Test
    void names_and_links_in_a_backup_lead_nowhere_else() throws IOException {
        var load = new FolderLoad(temp.resolve("data"));
        for (String name :
                List.of("workspaces/../secrets/admin-token", "workspaces/a/../../../outside", "postgres/a")) {
            assertThatThrownBy(() -> load.place(new TarArchiveEntry(name), InputStream.nullInputStream()))
                    .as(name)
                    .isInstanceOf(IOException.class);
        }
        var link = new TarArchiveEntry("workspaces/a", TarConstants.LF_SYMLINK);
        link.setLinkName(temp.toString());
        load.place(link, InputStream.nullInputStream());

        assertThatThrownBy(() -> load.place(new TarArchiveEntry("workspaces/a/b"), InputStream.nullInputStream()))
                .hasMessageContaining("behind a link");
        assertThat(Files.exists(temp.resolve("b"), LinkOption.NOFOLLOW_LINKS)).isFalse();
    }

    private static String key() {
        return original.resolve("secrets/encryption-key").toString();
    }

    /** Of every table that is kept, a sum of its rows. */
    private static Map<String, String> tables(DataFolder data) throws IOException, SQLException {
        var sums = new TreeMap<String, String>();
        try (var database = PlatformDatabase.open(data, Map.of());
                var connection = Postgres.connect(database.url())) {
            var copy = DatabaseCopy.begin(connection);
            for (var table : copy.tables()) {
                try (var statement = connection.createStatement();
                        var rows = statement.executeQuery(
                                "SELECT count(*) || ' ' || coalesce(md5(string_agg(t::text, ',' ORDER BY t::text)), '') FROM %s AS t"
                                        .formatted(table.quoted()))) {
                    rows.next();
                    sums.put(table.schema() + "." + table.name(), rows.getString(1));
                }
            }
            sums.put("sequences", copy.sequences().encode());
            sums.put("partitions", copy.partitions().toString());
        }
        assertThat(sums.get("registry.workspaces")).startsWith("2000 ");
        return sums;
    }

    private static Result run(String... arguments) {
        var out = new ByteArrayOutputStream();
        var err = new ByteArrayOutputStream();
        var console = new Console(
                new PrintStream(out, true, StandardCharsets.UTF_8), new PrintStream(err, true, StandardCharsets.UTF_8));
        int exitCode = EveryCommand.of(console, original).execute(arguments);
        return new Result(exitCode, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }
}
