package ai.molecule.runtime.tasks;

import java.io.FileInputStream;
import java.io.IOException;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files an answer names as {@code /workspace/...}. They are copied to where the chat's files are, so that they stay as they
 * were when they were named, and go with the answer.
 *
 * <p>Only regular files inside the folder count, links followed: at most {@link #FILES_MAX} of at most {@link #FILE_MAX_BYTES}.
 */
public final class AnswerFiles {

    /** Of an agent without a folder: an answer names no file. */
    public static final AnswerFiles NONE = new AnswerFiles(null);

    static final int FILES_MAX = 10;
    static final long FILE_MAX_BYTES = 25L * 1024 * 1024;

    private static final Logger LOGGER = LoggerFactory.getLogger(AnswerFiles.class);
    private static final String ROOT = "/workspace/";
    private static final String UPLOADS = ".molecule/chat-uploads";
    private static final Pattern NAMED = Pattern.compile("(?<![\\w/.-])/workspace/[^\\s\"'`<>()\\[\\]{}|,;:*?\\\\]+");
    private static final Pattern NOT_IN_A_NAME = Pattern.compile("[^A-Za-z0-9._-]");
    private static final int NAME_MAX_CHARS = 100;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final @Nullable Path folder;

    private AnswerFiles(@Nullable Path folder) {
        this.folder = folder;
    }

    /** @param folder what answers call {@code /workspace} */
    public static AnswerFiles in(Path folder) {
        return new AnswerFiles(folder);
    }

    /** In the order in which they are named, each once. May block. */
    List<AnsweredFile> namedIn(String answer) {
        if (folder == null || !answer.contains(ROOT)) {
            return List.of();
        }
        Set<String> paths = new LinkedHashSet<>();
        NAMED.matcher(answer).results().limit(FILES_MAX).forEach(found -> paths.add(withoutFullStop(found.group())));
        Path here = folder;
        return paths.stream().flatMap(path -> copy(here, path).stream()).toList();
    }

    private static Optional<AnsweredFile> copy(Path folder, String path) {
        try {
            Path root = folder.toRealPath();
            Path file = root.resolve(path.substring(ROOT.length())).toRealPath();
            if (!file.startsWith(root) || !Files.isRegularFile(file) || Files.size(file) > FILE_MAX_BYTES) {
                return Optional.empty();
            }
            String name = String.valueOf(file.getFileName());
            Path uploads = Files.createDirectories(root.resolve(UPLOADS));
            String copied = prefix() + "-" + sanitised(name);
            Path copy = Files.copy(file, uploads.resolve(copied));
            try (var whole = new FileInputStream(copy.toFile())) {
                whole.getFD().sync(); // the task's journal names it from now on
            }
            String type = Objects.requireNonNullElse(
                    URLConnection.guessContentTypeFromName(name), "application/octet-stream");
            return Optional.of(new AnsweredFile("workspace:" + ROOT + UPLOADS + "/" + copied, name, type));
        } catch (InvalidPathException | IOException notThere) {
            LOGGER.atDebug().addKeyValue("reason", notThere.toString()).log("an answer names no file of the workspace");
            return Optional.empty();
        }
    }

    private static String prefix() {
        byte[] bytes = new byte[8];
        RANDOM.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    private static String sanitised(String name) {
        String clean = NOT_IN_A_NAME.matcher(name).replaceAll("_");
        return clean.length() <= NAME_MAX_CHARS ? clean : clean.substring(clean.length() - NAME_MAX_CHARS);
    }

    /** A sentence may end with a path. */
    private static String withoutFullStop(String path) {
        int end = path.length();
        while (".!".indexOf(path.charAt(end - 1)) >= 0) {
            end--;
        }
        return path.substring(0, end);
    }
}
