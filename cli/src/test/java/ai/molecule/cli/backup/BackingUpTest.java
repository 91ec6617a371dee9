package ai.molecule.cli.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.cli.Console;
import ai.molecule.cli.EveryCommand;
import ai.molecule.cli.data.DataFolder;
import ai.molecule.cli.data.Secrets;
import ai.molecule.common.db.Postgres;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.util.ArrayList;
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

    /** As their bytes are in a URI: two that differ in what is no UTF-8 alone, as the names of an old zip do, two that are UTF-8, a long one. */
    private static final List<String> NOT_ALL_UTF8 =
            List.of("%81bung.txt", "%84bung.txt", "gr%C3%B6%C3%9Fe.txt", "gr%C3%BC%C3%9Fe.txt", "%84".repeat(200));

    /** What a start lays anew, and what a crash may leave of it. */
    private static final List<String> HANDED_OVER = List.of(
            "configs/.auth_token",
            "configs/.auth_token123.new",
            "handover/secrets.json",
            "handover/a/b",
            "tmp/scratch");

    private static final String TOKEN = "the-token-of-an-agent";

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
        Path whole = data.workspaces().resolve("an-agent");
        for (String file : HANDED_OVER) {
            Files.createDirectories(whole.resolve(file).getParent());
            Files.writeString(whole.resolve(file), TOKEN);
        }
        Files.writeString(whole.resolve("configs/config.yaml"), "name: An Agent");
        var agent = Files.createDirectories(whole.resolve("files"));
        Files.writeString(agent.resolve("work.txt"), "half of it");
        Files.setPosixFilePermissions(agent.resolve("work.txt"), PosixFilePermissions.fromString("rwxr-x---"));
        Files.createSymbolicLink(agent.resolve("link"), Path.of("/etc/passwd"));
        for (String name : NOT_ALL_UTF8) {
            Files.writeString(named(agent, name), name);
        }
        Files.createSymbolicLink(agent.resolve("to it"), agent.relativize(named(agent, NOT_ALL_UTF8.getFirst())));
        Files.setPosixFilePermissions(
                Files.createDirectory(agent.resolve("closed")), PosixFilePermissions.fromString("r-x------"));
        var backup = run("backup", sealed().toString(), DATA, original.toString());
        assertThat(backup.exitCode()).as(backup.err()).isZero();
        assertThat(backup.out()).contains("7 files");
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
        for (String name : NOT_ALL_UTF8) {
            assertThat(named(agent, name)).hasContent(name);
        }
        assertThat(agent.resolve("to it")).hasContent(NOT_ALL_UTF8.getFirst());
        assertThat(Files.readSymbolicLink(agent.resolve("link"))).isEqualTo(Path.of("/etc/passwd"));
        assertThat(run("restore", file.toString(), DATA, elsewhere.toString()).err())
                .contains("There is something in");
    }

    @Test
    void no_backup_has_what_an_agent_is_handed_at_its_start() throws Exception {
        var names = new ArrayList<String>();
        try (var backup = BackupWriter.read(Files.newInputStream(sealed()))) {
            for (var entry = backup.getNextEntry(); entry != null; entry = backup.getNextEntry()) {
                names.add(entry.getName());
                assertThat(new String(backup.readAllBytes(), StandardCharsets.UTF_8))
                        .as(entry.getName())
                        .doesNotContain(TOKEN);
            }
        }

        assertThat(names)
                .contains("workspaces/an-agent/configs/config.yaml", "workspaces/an-agent/handover/")
                .noneMatch(name -> HANDED_OVER.stream().anyMatch(name::endsWith));
    }

    @Test
    void what_an_earlier_version_kept_of_it_is_not_restored() throws IOException {
        var data = temp.resolve("data");
        var load = new FolderLoad(data);
        for (String name : HANDED_OVER) {
            load.place(entry("workspaces/an-agent/" + name, TOKEN), content(TOKEN));
        }
        load.place(entry("workspaces/an-agent/workspace/.auth_token", "its own"), content("its own"));

        for (String name : HANDED_OVER) {
            assertThat(data.resolve("workspaces/an-agent").resolve(name)).doesNotExist();
        }
        assertThat(data.resolve("workspaces/an-agent/workspace/.auth_token")).hasContent("its own");
        assertThat(load.files()).isEqualTo(1);
        assertThat(load.read()).as("against what the backup says it has").isEqualTo(HANDED_OVER.size() + 1);
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

    /** As a backup has it that was written where names could not be told apart. */
    @Test
    void a_file_whose_name_is_taken_is_set_aside_and_named_and_the_others_are_there() throws IOException {
        var data = temp.resolve("data");
        var load = new FolderLoad(data);
        for (String content : List.of("first", "second", "third")) {
            load.place(entry("workspaces/a/gr\ufffd\ufffde.txt", content), content(content));
        }
        load.place(entry("workspaces/a/last.txt", "last"), content("last"));

        assertThat(data.resolve("workspaces/a/gr\ufffd\ufffde.txt")).hasContent("first");
        assertThat(data.resolve("set-aside/1")).hasContent("second");
        assertThat(data.resolve("set-aside/2")).hasContent("third");
        assertThat(data.resolve("workspaces/a/last.txt")).hasContent("last");
        assertThat(load.files()).isEqualTo(4);
        assertThat(load.asideCount()).isEqualTo(2);
        assertThat(load.aside())
                .containsExactly(
                        "workspaces/a/gr\ufffd\ufffde.txt is set-aside/1 now: the name is taken",
                        "workspaces/a/gr\ufffd\ufffde.txt is set-aside/2 now: the name is taken");
    }

    @Test
    void what_does_not_read_back_as_it_was_written_gets_no_name() throws IOException {
        Path file = temp.resolve("backup.tar.gz");
        var backup = new BackupWriter(file);
        backup.text("manifest.json", "{}");
        var entry = new TarArchiveEntry(
                "hidden", TarConstants.LF_GNUTYPE_LONGNAME); // a reader takes it for part of another
        backup.entry(entry);
        backup.endOfEntry();

        assertThatThrownBy(backup::finish).isInstanceOf(IOException.class);
        backup.close();

        assertThat(temp).isEmptyDirectory();
    }

    private static Path named(Path folder, String escaped) {
        return Path.of(URI.create(folder.toUri().toString().replaceAll("/$", "") + "/" + escaped));
    }

    private static TarArchiveEntry entry(String name, String content) {
        var entry = new TarArchiveEntry(name);
        entry.setSize(content.length());
        return entry;
    }

    private static InputStream content(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
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
