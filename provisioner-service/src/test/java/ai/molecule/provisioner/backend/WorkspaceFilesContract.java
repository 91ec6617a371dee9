package ai.molecule.provisioner.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.common.ApiError;
import ai.molecule.provisioner.backend.WorkspaceFiles.Entry;
import ai.molecule.provisioner.backend.WorkspaceFiles.Root;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What every backend's {@link WorkspaceFiles} must do, whatever an agent made of its folders. */
@ExtendWith(VertxExtension.class)
public abstract class WorkspaceFilesContract {

    protected static final Root[] ROOTS = {Root.CONFIGS, Root.WORKSPACE};

    @TempDir
    @SuppressWarnings("NullAway.Init")
    protected Path temp;

    @SuppressWarnings("NullAway.Init")
    protected UUID id;

    @SuppressWarnings("NullAway.Init")
    protected WorkspaceFiles files;

    @Test
    void what_all_folders_hold_is_told_and_links_lead_to_nothing_that_counts() throws Exception {
        assertThat(files.usage(id).await().bytes()).isZero();
        write(Root.CONFIGS, "a/b", "12345");
        write(Root.WORKSPACE, "c", "123");
        write(Root.PLUGINS, "d", "1234567");
        asAgent("ln -s /usr/lib lib; ln -s /etc/passwd passwd");

        var usage = files.usage(id).await();

        assertThat(usage.bytes()).isEqualTo(15);
        assertThat(usage.files()).isBetween(6L, 12L); // folders of the roots themselves, as the backend has them
    }

    /** The files of the backend under test. */
    protected abstract WorkspaceFiles files(Vertx vertx) throws Exception;

    /** A workspace that was never started. */
    protected UUID newWorkspace() {
        return UUID.randomUUID();
    }

    /** Runs a shell script as the workspace's agent would, in the folder it sees as its working folder. */
    protected abstract void asAgent(String script) throws Exception;

    @BeforeEach
    void open(Vertx vertx) throws Exception {
        files = files(vertx);
        id = newWorkspace();
    }

    @Test
    void what_is_written_before_the_first_start_is_there() {
        for (var root : ROOTS) {
            write(root, "notes/today.md", "one");
            write(root, "notes/today.md", "two");

            assertThat(text(root, "notes/today.md")).isEqualTo("two");
        }
    }

    @Test
    void what_begins_like_a_program_can_be_run_and_nothing_else() throws Exception {
        write(Root.WORKSPACE, "hello.sh", "#!/bin/sh\necho hi > said\n");
        write(Root.WORKSPACE, "plain.sh", "echo no > said\n");

        asAgent("test ! -x plain.sh && ./hello.sh");

        assertThat(text(Root.WORKSPACE, "said")).isEqualTo("hi\n");
    }

    @Test
    void nothing_is_there_of_a_workspace_that_has_nothing() {
        assertThat(list(Root.WORKSPACE, "", 5)).isEmpty();
        assertThat(list(Root.WORKSPACE, "no/such", 1)).isEmpty();
        assertThat(text(Root.CONFIGS, "config.yaml")).isEqualTo("(none)");
        assertThat(delete(Root.WORKSPACE, "a")).isFalse();
    }

    @Test
    void a_listing_goes_as_deep_as_asked_and_is_relative_to_its_folder() {
        write(Root.WORKSPACE, "a/b/c.txt", "123");
        write(Root.WORKSPACE, "a/z.txt", "");
        write(Root.WORKSPACE, "top", "x");

        assertThat(list(Root.WORKSPACE, "", 1)).containsExactly("a/ 0", "top 1");
        assertThat(list(Root.WORKSPACE, "", 3)).containsExactly("a/ 0", "a/b/ 0", "a/b/c.txt 3", "a/z.txt 0", "top 1");
        assertThat(list(Root.WORKSPACE, "a", 1)).containsExactly("b/ 0", "z.txt 0");
    }

    @Test
    void a_file_is_streamed_as_it_is() {
        byte[] large = new byte[300_000];
        Arrays.fill(large, (byte) 7);
        files.write(id, Root.WORKSPACE, Map.of(path("large"), Buffer.buffer(large)))
                .await();

        var opened = files.open(id, Root.WORKSPACE, path("large")).await().orElseThrow();

        assertThat(opened.size()).isEqualTo(large.length);
        var read = Buffer.buffer();
        opened.stream().handler(read::appendBuffer);
        var end = Promise.<Void>promise();
        opened.stream().exceptionHandler(end::tryFail).endHandler(end::tryComplete);
        opened.stream().resume();
        end.future().await();
        opened.close();
        assertThat(read.getBytes()).isEqualTo(large);
        assertThat(files.open(id, Root.WORKSPACE, path("none")).await()).isEmpty();
    }

    @Test
    void a_folder_takes_the_place_of_what_was_there() throws IOException {
        write(Root.CONFIGS, "plugins/one/old.txt", "old");
        var source = temp.resolve("source");
        Files.createDirectories(source.resolve("sub"));
        Files.writeString(source.resolve("plugin.yaml"), "name: one");
        Files.writeString(source.resolve("sub/run.sh"), "true");
        Files.createSymbolicLink(source.resolve("link"), Path.of("/etc/passwd"));

        files.putFolder(id, Root.CONFIGS, path("plugins/one"), source).await();

        assertThat(list(Root.CONFIGS, "plugins", 5))
                .containsExactly("one/ 0", "one/plugin.yaml 9", "one/sub/ 0", "one/sub/run.sh 4");
    }

    @Test
    void a_local_file_of_any_size_is_put() throws IOException {
        var source = temp.resolve("upload");
        Files.write(source, new byte[WorkspaceFiles.FILE_MAX_BYTES + 1]);

        files.putFile(id, Root.WORKSPACE, path(".molecule/chat-uploads/x.bin"), source)
                .await();

        assertThat(list(Root.WORKSPACE, ".molecule", 2))
                .containsExactly("chat-uploads/ 0", "chat-uploads/x.bin " + (WorkspaceFiles.FILE_MAX_BYTES + 1));
        assertRefused(ApiError.Kind.TOO_LARGE, () -> text(Root.WORKSPACE, ".molecule/chat-uploads/x.bin"));
    }

    @Test
    void more_than_a_file_may_hold_is_not_written() {
        var tooLarge = Buffer.buffer(new byte[WorkspaceFiles.FILE_MAX_BYTES + 1]);

        assertRefused(
                ApiError.Kind.TOO_LARGE,
                () -> files.write(id, Root.CONFIGS, Map.of(path("ok"), Buffer.buffer("x"), path("large"), tooLarge))
                        .await());

        assertThat(list(Root.CONFIGS, "", 1)).isEmpty();
    }

    @Test
    void files_and_folders_with_everything_in_them_are_deleted() throws Exception {
        write(Root.WORKSPACE, "a/b/c.txt", "123");
        write(Root.WORKSPACE, "file", "x");
        asAgent("mkdir -p deep; cd deep; i=0; while [ $i -lt 300 ]; do mkdir d; cd d; i=$((i+1)); done; echo x > f");

        assertThat(delete(Root.WORKSPACE, "a")).isTrue();
        assertThat(delete(Root.WORKSPACE, "file")).isTrue();
        assertThat(delete(Root.WORKSPACE, "deep")).isTrue();
        assertThat(delete(Root.WORKSPACE, "file")).isFalse();

        assertThat(list(Root.WORKSPACE, "", 5)).isEmpty();
    }

    @Test
    void a_root_itself_is_neither_deleted_nor_replaced() {
        write(Root.WORKSPACE, "kept", "x");

        assertRefused(ApiError.Kind.INVALID, () -> delete(Root.WORKSPACE, ""));
        assertRefused(
                ApiError.Kind.INVALID,
                () -> files.putFolder(id, Root.WORKSPACE, FilePath.ROOT, temp).await());

        assertThat(list(Root.WORKSPACE, "", 1)).containsExactly("kept 1");
    }

    @Test
    void what_stands_in_the_way_is_said_and_nothing_is_written() {
        write(Root.WORKSPACE, "file", "x");
        write(Root.WORKSPACE, "folder/file", "x");

        assertRefused(ApiError.Kind.INVALID, () -> write(Root.WORKSPACE, "folder", "y"));
        assertRefused(ApiError.Kind.INVALID, () -> write(Root.WORKSPACE, "file/below", "y"));
        assertRefused(
                ApiError.Kind.INVALID,
                () -> files.write(
                                id,
                                Root.WORKSPACE,
                                Map.of(path("a"), Buffer.buffer("1"), path("a/b"), Buffer.buffer("2")))
                        .await());

        assertThat(text(Root.WORKSPACE, "file/below")).isEqualTo("(none)");
        assertThat(text(Root.WORKSPACE, "folder")).isEqualTo("(none)");
        assertThat(list(Root.WORKSPACE, "", 2)).containsExactly("file 1", "folder/ 0", "folder/file 1");
    }

    @Test
    void paths_that_climb_or_that_no_file_has_are_refused_before_anybody_is_asked() {
        for (String bad : List.of(
                "/etc/passwd",
                "..",
                "../x",
                "a/../../x",
                "a/..",
                "a//b",
                "a/",
                "./a",
                "a\0b",
                "a\nb",
                "a\\b",
                "x".repeat(256),
                "y/".repeat(40) + "z",
                ("z".repeat(200) + "/").repeat(6) + "z")) {
            assertRefused(ApiError.Kind.INVALID, () -> FilePath.of(bad));
        }
    }

    @Test
    void names_that_mean_something_elsewhere_are_only_names() {
        var odd = List.of("*", "~", "-rf", "$(touch x)", "a b", "ünï", "'", "\"", ";ls", "%2e%2e", "...");
        odd.forEach(name -> write(Root.WORKSPACE, name, name));

        assertThat(odd)
                .allSatisfy(name -> assertThat(text(Root.WORKSPACE, name)).isEqualTo(name));
        assertThat(list(Root.WORKSPACE, "", 1)).hasSize(odd.size());
        var deleted = List.of("*", "-rf", "$(touch x)");
        assertThat(deleted)
                .allSatisfy(name -> assertThat(delete(Root.WORKSPACE, name)).isTrue());
        assertThat(list(Root.WORKSPACE, "", 1)).hasSize(odd.size() - deleted.size());
    }

    @Test
    void links_are_not_followed() throws Exception {
        asAgent("echo theirs > real; mkdir folder; echo x > folder/f; ln -s /etc out; ln -s /etc/hostname name;"
                + " ln -s real alias; ln -s folder inner; ln -s . self");

        assertThat(list(Root.WORKSPACE, "", 5)).containsExactly("folder/ 0", "folder/f 2", "real 7");
        assertThat(list(Root.WORKSPACE, "out", 1)).isEmpty();
        assertThat(list(Root.WORKSPACE, "inner", 1)).isEmpty();
        assertThat(text(Root.WORKSPACE, "name")).isEqualTo("(none)");
        assertThat(text(Root.WORKSPACE, "out/hostname")).isEqualTo("(none)");
        assertThat(text(Root.WORKSPACE, "inner/f")).isEqualTo("(none)");
        assertRefused(ApiError.Kind.INVALID, () -> write(Root.WORKSPACE, "out/molecule-was-here", "x"));
        assertRefused(ApiError.Kind.INVALID, () -> write(Root.WORKSPACE, "self/x", "x"));
        assertThat(delete(Root.WORKSPACE, "out/hostname")).isFalse();
        assertThat(delete(Root.WORKSPACE, "out")).isTrue();
        write(Root.WORKSPACE, "alias", "ours");

        assertThat(text(Root.WORKSPACE, "alias")).isEqualTo("ours");
        assertThat(text(Root.WORKSPACE, "real")).isEqualTo("theirs\n");
        asAgent("test -e /etc/hostname -a ! -e /etc/molecule-was-here");
    }

    @Test
    void the_target_of_a_hard_link_keeps_its_content() throws Exception {
        asAgent("echo theirs > first; ln first second");

        write(Root.WORKSPACE, "second", "ours");
        assertThat(text(Root.WORKSPACE, "first")).isEqualTo("theirs\n");
        asAgent("ln -f first third");
        assertThat(delete(Root.WORKSPACE, "third")).isTrue();

        assertThat(text(Root.WORKSPACE, "first")).isEqualTo("theirs\n");
    }

    @Test
    void what_is_neither_file_nor_folder_is_not_there_and_nobody_waits_for_it() throws Exception {
        asAgent("mkfifo pipe; mkdir d; mkfifo d/pipe");

        assertThat(text(Root.WORKSPACE, "pipe")).isEqualTo("(none)");
        assertThat(files.open(id, Root.WORKSPACE, path("pipe")).await()).isEmpty();
        assertThat(list(Root.WORKSPACE, "", 5)).containsExactly("d/ 0");
        assertThat(list(Root.WORKSPACE, "pipe", 1)).isEmpty();
        write(Root.WORKSPACE, "pipe", "a file now");
        assertThat(text(Root.WORKSPACE, "pipe")).isEqualTo("a file now");
        assertThat(delete(Root.WORKSPACE, "d")).isTrue();
    }

    @Test
    void a_folder_that_its_agent_closed_is_deleted_all_the_same() throws Exception {
        asAgent("mkdir -p shut/below; echo x > shut/below/f; chmod 000 shut/below shut");

        assertThat(delete(Root.WORKSPACE, "shut")).isTrue();

        assertThat(list(Root.WORKSPACE, "", 2)).isEmpty();
    }

    @Test
    void one_workspace_does_not_see_another() {
        write(Root.WORKSPACE, "mine", "x");

        assertThat(files.list(newWorkspace(), Root.WORKSPACE, FilePath.ROOT, 5).await())
                .isEmpty();
        assertThat(list(Root.CONFIGS, "", 1)).isEmpty();
    }

    protected final void write(Root root, String path, String text) {
        files.write(id, root, Map.of(path(path), Buffer.buffer(text))).await();
    }

    protected final String text(Root root, String path) {
        return files.read(id, root, path(path)).await().map(Buffer::toString).orElse("(none)");
    }

    protected final boolean delete(Root root, String path) {
        return files.delete(id, root, path(path)).await();
    }

    protected final List<String> list(Root root, String folder, int depth) {
        return files.list(id, root, path(folder), depth).await().stream()
                .map(WorkspaceFilesContract::line)
                .toList();
    }

    protected static FilePath path(String text) {
        return FilePath.of(text);
    }

    protected static void assertRefused(ApiError.Kind kind, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        ApiError.class, refused -> assertThat(refused.kind()).isEqualTo(kind));
    }

    private static String line(Entry entry) {
        return entry.path() + (entry.directory() ? "/ " : " ") + entry.size();
    }
}
