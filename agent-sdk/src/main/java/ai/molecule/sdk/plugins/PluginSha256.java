package ai.molecule.sdk.plugins;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The checksum of a plugin's files, as {@code sha256} in {@code plugin.yaml} names it.
 *
 * <p>It is the SHA-256 of a manifest: the JSON list of {@code ["relative/path", "sha256 of the file"]} over all regular files
 * but the {@code plugin.yaml} at the root, sorted by code points, with {@code ", "} between elements and everything outside
 * printable ASCII escaped. Links are left out, as they are from what a platform hands out.
 *
 * <pre>{@code
 * String sum = PluginSha256.of(Path.of("my-plugin"));
 * }</pre>
 */
public final class PluginSha256 {

    private static final Pattern HEX_64 = Pattern.compile("[0-9a-fA-F]{64}");
    private static final int READ_BYTES = 64 * 1024;

    private PluginSha256() {}

    /**
     * The sum in lower case hex.
     *
     * @throws UncheckedIOException when the folder or a file in it cannot be read
     */
    public static String of(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            Map<String, String> sums = new TreeMap<>(CodePoints.ORDER);
            List<Path> regular = files.filter(file -> Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS))
                    .toList();
            for (Path file : regular) {
                String path = posix(folder.relativize(file));
                if (!path.equals("plugin.yaml")) {
                    sums.put(path, hex(digestOf(file)));
                }
            }
            return ofManifest(sums);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Compares.
     *
     * @throws PluginException when {@code expected} is no SHA-256 in hex, or another one
     */
    public static void verify(Path folder, String expected) {
        if (!HEX_64.matcher(expected).matches()) {
            throw new PluginException("sha256 must be 64 hex digits: " + expected);
        }
        String actual = of(folder);
        if (!actual.equals(expected)) {
            throw new PluginException("sha256 mismatch: plugin.yaml says " + expected + ", the files have " + actual);
        }
    }

    /** @param sums file sums by path, in the order of the manifest */
    static String ofManifest(Map<String, String> sums) {
        var manifest = new StringBuilder("[");
        for (Map.Entry<String, String> file : sums.entrySet()) {
            manifest.append(manifest.length() == 1 ? "" : ", ").append('[');
            quote(manifest, file.getKey());
            manifest.append(", ");
            quote(manifest, file.getValue());
            manifest.append(']');
        }
        manifest.append(']');
        return hex(sha256().digest(manifest.toString().getBytes(StandardCharsets.US_ASCII)));
    }

    private static void quote(StringBuilder json, String text) {
        json.append('"');
        for (int i = 0; i < text.length(); i++) {
            char one = text.charAt(i);
            switch (one) {
                case '"' -> json.append("\\\"");
                case '\\' -> json.append("\\\\");
                case '\n' -> json.append("\\n");
                case '\r' -> json.append("\\r");
                case '\t' -> json.append("\\t");
                case '\b' -> json.append("\\b");
                case '\f' -> json.append("\\f");
                default -> {
                    if (one >= ' ' && one <= '~') {
                        json.append(one);
                    } else {
                        json.append("\\u").append(HexFormat.of().toHexDigits(one));
                    }
                }
            }
        }
        json.append('"');
    }

    private static String posix(Path relative) {
        return relative.toString().replace(relative.getFileSystem().getSeparator(), "/");
    }

    private static byte[] digestOf(Path file) throws IOException {
        MessageDigest digest = sha256();
        try (InputStream in = Files.newInputStream(file)) {
            byte[] buffer = new byte[READ_BYTES];
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                digest.update(buffer, 0, read);
            }
        }
        return digest.digest();
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }
}
