package ai.molecule.events.pages;

import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;

/**
 * One file of the page.
 *
 * @param packed the same as gzip
 * @param tag changes with the content
 */
record PageFile(String contentType, Buffer plain, Buffer packed, String tag) {

    static final String INDEX = "index.html";

    private static final String FOLDER = "/ui/";
    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html; charset=utf-8",
            "js", "text/javascript; charset=utf-8",
            "css", "text/css; charset=utf-8",
            "svg", "image/svg+xml");

    /** By name; the build wrote the list. */
    static Map<String, PageFile> all() {
        Map<String, PageFile> files = new HashMap<>();
        new String(bytes("files.txt"), StandardCharsets.UTF_8).lines().forEach(name -> files.put(name, of(name)));
        return Map.copyOf(files);
    }

    private static PageFile of(String name) {
        byte[] plain = bytes(name);
        String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
        if (type == null) {
            throw new IllegalStateException("no content type for " + name);
        }
        return new PageFile(type, Buffer.buffer(plain), Buffer.buffer(bytes(name + ".gz")), '"' + hashOf(plain) + '"');
    }

    private static String hashOf(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content), 0, 12);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    private static byte[] bytes(String name) {
        try (var in = PageFile.class.getResourceAsStream(FOLDER + name)) {
            if (in == null) {
                throw new IllegalStateException("the module canvas was not built: there is no " + FOLDER + name);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
