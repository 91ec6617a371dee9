package ai.molecule.provisioner.files;

import java.net.URLConnection;
import java.util.Optional;

/** Names and types of what is attached to a chat (contract of chat files, 7.3). */
final class ChatFileName {

    private static final int CHARS_MAX = 100;
    private static final int EXTENSION_MAX = 16;

    private ChatFileName() {}

    /** The last name of a path, of letters, digits, dots, dashes and underscores, at most 100 of them; else {@code file}. */
    static String sanitised(String sent) {
        String name = sent.substring(Math.max(sent.lastIndexOf('/'), sent.lastIndexOf('\\')) + 1)
                .replaceAll("[^A-Za-z0-9._-]", "_");
        if (name.length() > CHARS_MAX) {
            int dot = name.lastIndexOf('.');
            String extension = dot > 0 && name.length() - dot <= EXTENSION_MAX ? name.substring(dot) : "";
            name = name.substring(0, CHARS_MAX - extension.length()) + extension;
        }
        return name.isEmpty() || name.equals(".") || name.equals("..") ? "file" : name;
    }

    static Optional<String> typeOf(String name) {
        return Optional.ofNullable(URLConnection.getFileNameMap().getContentTypeFor(name));
    }
}
