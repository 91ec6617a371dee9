package ai.molecule.runtime.tools;

import ai.molecule.sdk.PlatformException;
import ai.molecule.sdk.WorkspaceClient;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Speaking to the user, and reading what was said. */
final class Talking {

    private static final int ATTACHMENTS_MAX = 20;
    private static final long ATTACHMENT_MAX_BYTES = 25L * 1024 * 1024;

    private Talking() {}

    static String toUser(Toolbox toolbox, Arguments arguments) {
        return toUser(toolbox, arguments, arguments.texts("attachments"));
    }

    /** The same where the files of this machine are nobody's to send. */
    static String wordsToUser(Toolbox toolbox, Arguments arguments) {
        if (arguments.json().has("attachments")) {
            throw new ToolRefusal("attachments cannot be sent from here; upload them with POST chat/uploads");
        }
        return toUser(toolbox, arguments, List.of());
    }

    private static String toUser(Toolbox toolbox, Arguments arguments, List<String> attached) {
        String message = arguments.text("message");
        if (message.isEmpty()) {
            throw new ToolRefusal("message is required");
        }
        WorkspaceClient source = toolbox.workspaces().source(arguments.text("workspace_id"));
        List<Path> files = files(attached);
        try {
            List<JsonNode> attachments = files.isEmpty() ? List.of() : source.upload(files);
            source.notifyUser(message, attachments);
            return "Message sent to user" + (files.isEmpty() ? "" : " with " + files.size() + " attachment(s)");
        } catch (PlatformException e) {
            return e.isUnreachable()
                    ? "Error: " + e.error()
                    : "Error: platform returned " + e.status() + ": " + e.error();
        }
    }

    static String history(Toolbox toolbox, Arguments arguments) {
        String peer = arguments.text("peer_id");
        if (!Workspaces.isId(peer)) {
            throw new ToolRefusal("peer_id must be a UUID; list_peers shows the ids of those you may talk to");
        }
        WorkspaceClient source = toolbox.workspaces().source(arguments.text("source_workspace_id"), peer);
        Optional<String> before = Optional.of(arguments.text("before_ts")).filter(moment -> !moment.isEmpty());
        try {
            JsonNode newestFirst = source.conversation(peer, arguments.number("limit", 20, 1, 500), before);
            var oldestFirst = Json.MAPPER.createArrayNode();
            newestFirst.forEach(row -> oldestFirst.insert(0, row));
            return oldestFirst.toString();
        } catch (PlatformException e) {
            return switch (e.status()) {
                case 0, 400 -> "Error: " + e.error();
                default -> "Error: chat_history returned HTTP " + e.status();
            };
        }
    }

    private static List<Path> files(List<String> names) {
        if (names.size() > ATTACHMENTS_MAX) {
            throw new ToolRefusal("at most " + ATTACHMENTS_MAX + " attachments go with one message");
        }
        List<Path> files = new ArrayList<>();
        for (String name : names) {
            files.add(file(name));
        }
        return files;
    }

    private static Path file(String name) {
        try {
            Path file = Path.of(name);
            if (!file.isAbsolute() || !Files.isRegularFile(file)) {
                throw new ToolRefusal("attachment not found: " + name + " (give the absolute path of a file)");
            }
            if (Files.size(file) > ATTACHMENT_MAX_BYTES) {
                throw new ToolRefusal("attachment is larger than 25 MB: " + name);
            }
            return file;
        } catch (InvalidPathException e) {
            throw new ToolRefusal("attachment is no path: " + name);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
