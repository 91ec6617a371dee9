package ai.molecule.cli.backup;

import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A file's name as the bytes that it is, whatever locale this JVM runs in and whether they are UTF-8: {@link Path#toString} replaces what it
 * cannot decode, so two files may get one name. The bytes come from the path's URI, which is the one public way to them.
 *
 * @param escaped the bytes of the name; all but letters, digits and {@code / . _ ~ -} are {@code %XX}
 */
record FileName(String escaped) {

    private static final Path ROOT = Path.of("/");
    private static final Pattern ESCAPED = Pattern.compile("(?:[A-Za-z0-9/._~-]|%[0-9A-F]{2})*");

    /** Of a relative path, or an absolute one. */
    static FileName of(Path path) {
        String uri = ROOT.resolve(path).toUri().getRawPath();
        String trimmed = uri.length() > 1 && uri.endsWith("/") ? uri.substring(0, uri.length() - 1) : uri;
        return ofBytes(unescaped(path.isAbsolute() ? trimmed : trimmed.substring(1)));
    }

    /** Of a name that is text. */
    static FileName ofText(String text) {
        return ofBytes(text.getBytes(StandardCharsets.UTF_8));
    }

    /** As {@link #escaped} says it. @throws IOException when it is not written so */
    static FileName ofEscaped(String escaped) throws IOException {
        if (!ESCAPED.matcher(escaped).matches()) {
            throw new IOException(escaped + " is no name of a file");
        }
        return new FileName(escaped);
    }

    private static FileName ofBytes(byte[] bytes) {
        var escaped = new StringBuilder();
        for (byte one : bytes) {
            char letter = (char) (one & 0xff);
            if (letter < 0x80 && (Character.isLetterOrDigit(letter) || "/._~-".indexOf(letter) >= 0)) {
                escaped.append(letter);
            } else {
                escaped.append("%%%02X".formatted((int) letter));
            }
        }
        return new FileName(escaped.toString());
    }

    private static byte[] unescaped(String escaped) {
        byte[] bytes = new byte[escaped.length()];
        int length = 0;
        for (int i = 0; i < escaped.length(); i++) {
            if (escaped.charAt(i) == '%') {
                bytes[length++] = (byte) Integer.parseInt(escaped.substring(i + 1, i + 3), 16);
                i += 2;
            } else {
                bytes[length++] = (byte) escaped.charAt(i);
            }
        }
        return Arrays.copyOf(bytes, length);
    }

    /** Empty when its bytes are no UTF-8. */
    Optional<String> text() {
        try {
            return Optional.of(StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(unescaped(escaped)))
                    .toString());
        } catch (CharacterCodingException notUtf8) {
            return Optional.empty();
        }
    }

    /** The path of these bytes. @throws IOException when there can be none */
    Path path() throws IOException {
        List<String> parts = new ArrayList<>(List.of(escaped.split("/")));
        parts.removeIf(String::isEmpty);
        try {
            Path path = Path.of(URI.create("file:///" + String.join("/", parts)));
            if (escaped.startsWith("/")) {
                return path;
            }
            return path.getNameCount() == 0 ? Path.of("") : path.subpath(0, path.getNameCount());
        } catch (IllegalArgumentException e) {
            throw new IOException(this + " is no name of a file", e);
        }
    }

    /** For people. */
    @Override
    public String toString() {
        return text().orElse(escaped);
    }
}
