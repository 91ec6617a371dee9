package ai.molecule.provisioner.plugins;

import ai.molecule.common.ApiError;
import ai.molecule.common.ApiError.Kind;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Whether the files are those that their author, or the caller, meant. */
final class Integrity {

    private static final String MANIFEST = "manifest.json";

    /** Longer ones are no manifest. */
    private static final int MANIFEST_MAX_BYTES = 1024 * 1024;

    private Integrity() {}

    /**
     * Compares with the {@code sha256} of {@code manifest.json}, where there is one: the SHA-256 over {@code <path>\0<content>} of
     * every other file, sorted by path (registry contract, 7.7). Fails with UNPROCESSABLE.
     */
    static void checkManifest(Path folder) throws IOException {
        Path manifest = folder.resolve(MANIFEST);
        if (!Files.isRegularFile(manifest)) {
            return;
        }
        var expected = sumIn(manifest);
        if (expected == null || expected.isNull() || expected.asText().isEmpty()) {
            return;
        }
        if (!expected.asText().equalsIgnoreCase(sumOf(folder))) {
            throw integrityFailed();
        }
    }

    /** Compares {@code plugin.yaml} with what the caller expects of it. Fails with UNPROCESSABLE. */
    static void checkCallersSum(Path folder, String expected) throws IOException {
        Path manifest = folder.resolve(PluginManifest.FILE);
        if (!Files.isRegularFile(manifest)) {
            throw unprocessable("sha256 check failed: plugin.yaml not found in staged plugin");
        }
        var sum = sha256();
        add(sum, manifest);
        String got = HexFormat.of().formatHex(sum.digest());
        if (!got.equalsIgnoreCase(expected)) {
            throw unprocessable("sha256 mismatch: expected %s, got %s".formatted(expected, got));
        }
    }

    /**
     * {@code sha256:} and the sum over every file, sorted by path: {@code <path>\0<x where it may be run, else ->\0<bytes>\0} and its
     * content. Whatever is changed, added or left out changes it; the contract's own sum could be kept by moving where one file
     * ends and the next begins.
     */
    static String digestOf(Path folder) throws IOException {
        var sum = sha256();
        for (var named : named(folder)) {
            String head = (Files.isExecutable(named.file) ? "x" : "-") + "\0" + Files.size(named.file) + "\0";
            sum.update(named.name);
            sum.update((byte) 0);
            sum.update(head.getBytes(StandardCharsets.UTF_8));
            add(sum, named.file);
        }
        return "sha256:" + HexFormat.of().formatHex(sum.digest());
    }

    /** Compares all files with what the caller expects. Fails with UNPROCESSABLE. */
    static void checkDigest(String got, String expected) {
        if (!got.equalsIgnoreCase(expected)) {
            throw unprocessable("digest mismatch: expected %s, got %s".formatted(expected, got));
        }
    }

    private static @Nullable JsonNode sumIn(Path manifest) throws IOException {
        byte[] bytes;
        try (var in = Files.newInputStream(manifest)) {
            bytes = in.readNBytes(MANIFEST_MAX_BYTES + 1);
        }
        try {
            if (bytes.length <= MANIFEST_MAX_BYTES) {
                return Json.parse(bytes).get("sha256");
            }
        } catch (IOException malformed) {
            // same answer as for a wrong sum
        }
        throw integrityFailed();
    }

    private static String sumOf(Path folder) throws IOException {
        var sum = sha256();
        for (var named : named(folder)) {
            if (!Arrays.equals(named.name, MANIFEST.getBytes(StandardCharsets.UTF_8))) {
                sum.update(named.name);
                sum.update((byte) 0);
                add(sum, named.file);
            }
        }
        return HexFormat.of().formatHex(sum.digest());
    }

    private record Named(byte[] name, Path file) {}

    /** Every file, by path in the order of its bytes. */
    private static List<Named> named(Path folder) throws IOException {
        return Folders.below(folder).stream()
                .filter(Files::isRegularFile)
                .map(file -> new Named(Folders.relative(folder, file).getBytes(StandardCharsets.UTF_8), file))
                .sorted(Comparator.comparing(Named::name, Arrays::compareUnsigned))
                .toList();
    }

    private static void add(MessageDigest sum, Path file) throws IOException {
        try (var in = new DigestInputStream(Files.newInputStream(file), sum)) {
            in.transferTo(OutputStream.nullOutputStream());
        }
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static ApiError integrityFailed() {
        return unprocessable("plugin manifest integrity check failed");
    }

    private static ApiError unprocessable(String message) {
        return new ApiError(Kind.UNPROCESSABLE, message);
    }
}
