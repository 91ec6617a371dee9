package ai.molecule.runtime.filetools;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where files lie that are being written, each beside the one it will replace: a note in {@value #PLACE} for as long as that takes. By the notes
 * that are left the drafts of a killed agent are found, by the next agent that starts in the folder.
 */
final class Drafts {

    static final String PLACE = ".molecule/drafts";

    /** A write takes less than that, one under way is another agent's. */
    private static final Duration UNDER_WAY_MAX = Duration.ofMinutes(10);

    /** Of one start; the rest waits for the next. */
    private static final int LEFT_MAX = 1_000;

    private static final int NOTE_MAX_BYTES = 16 * 1024;
    private static final Pattern ID = Pattern.compile("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}");
    private static final Logger LOGGER = LoggerFactory.getLogger(Drafts.class);

    private final Path root;

    Drafts(Path root) {
        this.root = root;
    }

    /** @param folder where it lies, as {@link WorkFolder} writes paths */
    record Draft(String id, String folder) {

        Path name() {
            return Path.of(".molecule-" + id + ".tmp");
        }
    }

    /** Notes a draft that is about to be made. One that cannot be noted is made all the same. */
    Draft begin(String folder) {
        var draft = new Draft(UUID.randomUUID().toString(), folder);
        try {
            Path note = noteOf(draft, SharedPlace.in(root, PLACE));
            Files.writeString(note, folder, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            SharedPlace.share(root, note);
        } catch (IOException e) {
            LOGGER.atDebug().setCause(e).log("a draft is not noted");
        }
        return draft;
    }

    /** It is there no more. */
    void end(Draft draft) {
        try {
            Files.deleteIfExists(noteOf(draft, SharedPlace.requireOwn(root, PLACE)));
        } catch (IOException e) {
            LOGGER.atDebug().setCause(e).log("the note of a draft stays");
        }
    }

    /** Those whose writers were killed. */
    List<Draft> left() {
        List<Draft> left = new ArrayList<>();
        var since = Instant.now().minus(UNDER_WAY_MAX);
        try (var notes = Files.newDirectoryStream(SharedPlace.requireOwn(root, PLACE))) {
            for (Path note : notes) {
                String id = String.valueOf(note.getFileName());
                if (left.size() < LEFT_MAX && ID.matcher(id).matches() && isOlder(note, since)) {
                    left.add(new Draft(id, textOf(note)));
                }
            }
        } catch (IOException | DirectoryIteratorException none) {
            LOGGER.atDebug().setCause(none).log("no notes of drafts are read");
        }
        return left;
    }

    private static boolean isOlder(Path note, Instant since) throws IOException {
        return Files.isRegularFile(note, LinkOption.NOFOLLOW_LINKS)
                && Files.size(note) <= NOTE_MAX_BYTES
                && Files.getLastModifiedTime(note).toInstant().isBefore(since);
    }

    private static String textOf(Path note) throws IOException {
        try (var in = Files.newInputStream(note, LinkOption.NOFOLLOW_LINKS)) {
            return new String(in.readNBytes(NOTE_MAX_BYTES), StandardCharsets.UTF_8);
        }
    }

    private static Path noteOf(Draft draft, Path place) {
        return place.resolve(draft.id());
    }
}
