package ai.molecule.runtime.tasks;

import ai.molecule.runtime.tools.Excerpt;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files that come with a message: parts that name one as {@code workspace:/workspace/...}, {@code file:///workspace/...}
 * or {@code /workspace/...}. They lie in the agent's folder already; the agent is told of them below the words.
 *
 * <p>Only regular files inside the folder count, links followed; whatever else a part names is passed over. At most
 * {@link #FILES_MAX} are looked at.
 */
public final class Attachments {

    /** Of an agent without a folder: no part is a file. */
    public static final Attachments NONE = new Attachments(null);

    static final int FILES_MAX = 100;

    private static final Logger LOGGER = LoggerFactory.getLogger(Attachments.class);
    private static final List<String> SCHEMES = List.of("workspace:", "file://");
    private static final String ROOT = "/workspace/";
    private static final int NAME_MAX_CHARS = 200;

    private final @Nullable Path folder;

    private Attachments(@Nullable Path folder) {
        this.folder = folder;
    }

    /** @param folder what messages call {@code /workspace} */
    public static Attachments in(Path folder) {
        return new Attachments(folder);
    }

    /** The words, and below them {@code Attached files:} with a line for each; only the words when there is none. May block. */
    String addTo(String text, JsonNode parts) {
        if (folder == null) {
            return text;
        }
        var lines = new StringBuilder();
        int seen = 0;
        for (JsonNode part : parts) {
            JsonNode file = part.has("root") ? part.path("root").path("file") : part.path("file");
            if (file.isObject() && ++seen <= FILES_MAX) {
                find(folder, file.path("uri").asText(""))
                        .ifPresent(found -> lines.append('\n').append(line(file, found)));
            }
        }
        if (lines.isEmpty()) {
            return text;
        }
        return (text.isBlank() ? "" : text + "\n\n") + "Attached files:" + lines;
    }

    private static String line(JsonNode file, Path found) {
        String name = oneLine(file.path("name").asText(""));
        String type = oneLine(file.path("mimeType").asText(""));
        return "- %s (%s) at %s"
                .formatted(
                        name.isEmpty() ? found.getFileName() : name,
                        type.isEmpty() ? "application/octet-stream" : type,
                        found);
    }

    /** As programs find it that work in the folder: where the folder lies on its machine concerns nobody an answer is shown to. */
    private static Path shown(Path folder, Path found) {
        return folder.equals(Path.of(ROOT)) ? found : folder.relativize(found);
    }

    private static Optional<Path> find(Path folder, String uri) {
        try {
            Path real = folder.toRealPath();
            Path named = real.resolve(pathIn(uri)).toRealPath();
            if (Files.isRegularFile(named) && named.startsWith(real)) {
                return Optional.of(shown(real, named));
            }
        } catch (IOException | IllegalArgumentException absent) {
            // told below, like one that lies elsewhere; a wrong escape and an impossible name are
            // IllegalArgumentExceptions
        }
        LOGGER.atDebug().log("a part names no file of the workspace");
        return Optional.empty();
    }

    /** The path below the workspace. @throws InvalidPathException for anything that does not lie there */
    private static String pathIn(String uri) {
        String path = uri;
        for (String scheme : SCHEMES) {
            if (uri.startsWith(scheme)) {
                String rest = uri.substring(scheme.length());
                path = scheme.equals("file://")
                        ? URLDecoder.decode(rest.replace("+", "%2B"), StandardCharsets.UTF_8)
                        : rest;
            }
        }
        if (!path.startsWith(ROOT)) {
            throw new InvalidPathException(uri, "not in the workspace");
        }
        return path.substring(ROOT.length());
    }

    /** A name is the sender's: it must not look like a line of ours. */
    private static String oneLine(String text) {
        String line = text.replaceAll("[\\p{Cntrl}\\s]+", " ").strip();
        return Excerpt.of(line, NAME_MAX_CHARS);
    }
}
