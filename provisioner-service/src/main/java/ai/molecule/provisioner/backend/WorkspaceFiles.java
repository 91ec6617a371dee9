package ai.molecule.provisioner.backend;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.streams.ReadStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * The folders of a workspace, whether its agent runs, is stopped, or was never started: what is written before the first start is
 * there when the agent starts. No path leaves its root, by a link neither. What an agent has in the way (a folder where a file is
 * to be written, a file or link where a folder is) fails with INVALID. A failure that is not an {@code ApiError} means that the
 * engine could not be asked.
 */
public interface WorkspaceFiles {

    /** The most that one read, one written file, or one listing may hold: 5 MiB. */
    int FILE_MAX_BYTES = 5 * 1024 * 1024;

    /** The most entries of one listing; more are cut off, and that is logged. */
    int ENTRIES_MAX = 10_000;

    /** Folders an agent sees at its root, by the names it sees them under. */
    enum Root {
        CONFIGS,
        WORKSPACE,
        HOME,
        PLUGINS
    }

    /** A file or folder, its path relative to the folder that was listed; {@code size} is in bytes and 0 for a folder. */
    record Entry(FilePath path, long size, boolean directory) {}

    /**
     * An open file.
     *
     * @param size in bytes, when it was opened; what grows later is cut there, what shrinks ends early
     * @param stream paused; whoever asked must read it to its end or {@link #close} it
     */
    record Content(long size, ReadStream<Buffer> stream, Runnable closing) {

        public void close() {
            closing.run();
        }
    }

    /** What a workspace's folders hold: bytes as files say them, files and folders together. */
    record Usage(long bytes, long files) {}

    /** Where {@link #usage} stops counting. */
    int USAGE_FILES_MAX = 1_000_000;

    /** All roots together, without a folder that is lent to it. */
    Future<Usage> usage(UUID workspaceId);

    /**
     * What is below a folder, in path order; links are left out. Empty when there is no such folder.
     *
     * @param depth 1 for the folder's own entries, at most 5
     */
    Future<List<Entry>> list(UUID workspaceId, Root root, FilePath folder, int depth);

    /** A regular file; empty when there is none. Fails with TOO_LARGE beyond {@link #FILE_MAX_BYTES}. */
    Future<Optional<Buffer>> read(UUID workspaceId, Root root, FilePath file);

    /** A regular file of any size, to be streamed; empty when there is none. */
    Future<Optional<Content>> open(UUID workspaceId, Root root, FilePath file);

    /**
     * Writes each file whole, folders as needed, over what was there. Owned by the agent, who may run what {@link #isProgram begins
     * like a program}. Fails with TOO_LARGE, and writes nothing,
     * when one is larger than {@link #FILE_MAX_BYTES}.
     */
    Future<Void> write(UUID workspaceId, Root root, Map<FilePath, Buffer> files);

    /** Whether a file is one to run: a script that names its interpreter, or a Linux binary. Texts carry no other mark. */
    static boolean isProgram(byte[] content) {
        return content.length > 3
                && ((content[0] == '#' && content[1] == '!')
                        || (content[0] == 0x7F && content[1] == 'E' && content[2] == 'L' && content[3] == 'F'));
    }

    /** Puts a copy of a local file where {@code target} says, whole, folders as needed. Of any size. */
    Future<Void> putFile(UUID workspaceId, Root root, FilePath target, Path source);

    /**
     * Puts a copy of a local folder where {@code target} says, in place of whatever was there. Links in {@code source} are not
     * copied. The target is never a root itself.
     */
    Future<Void> putFolder(UUID workspaceId, Root root, FilePath target, Path source);

    /** Deletes a file, or a folder with everything in it; a link is deleted, not followed. False when there was nothing. */
    Future<Boolean> delete(UUID workspaceId, Root root, FilePath path);
}
