package ai.molecule.cli.embedded;

import ai.molecule.cli.LaunchFailure;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** What the embedded servers must be, byte for byte, before they are unpacked and each time before they run. */
final class Checksums {

    private final Map<String, String> sha256;

    /** @param sha256 in lower-case hex, by name */
    Checksums(Map<String, String> sha256) {
        this.sha256 = Map.copyOf(sha256);
    }

    /** Those of the artifacts this was built with. */
    static Checksums shipped() {
        try (var list = Checksums.class.getResourceAsStream("checksums.txt")) {
            if (list == null) {
                throw new IllegalStateException("checksums.txt is missing from the class path");
            }
            return new Checksums(new String(list.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .map(line -> line.split(" +"))
                    .collect(Collectors.toMap(words -> words[1], words -> words[0])));
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    Set<String> names() {
        return sha256.keySet();
    }

    /**
     * Reads all of it.
     *
     * @param where for the sentence
     * @throws LaunchFailure when the bytes are others than those that were listed, or nothing was
     */
    void require(String name, InputStream bytes, Object where) throws IOException {
        String found = of(bytes);
        if (!found.equals(sha256.get(name))) {
            throw LaunchFailure.usersTurn(
                    "The embedded server " + where + " is not what Molecule was made with (its SHA-256 is "
                            + found
                            + ") and was not started. Delete it, or get the library it comes from anew; or set DATABASE_URL"
                            + " and REDIS_URL to servers of your own.");
        }
    }

    static String of(InputStream bytes) throws IOException {
        try (var digested = new DigestInputStream(bytes, MessageDigest.getInstance("SHA-256"))) {
            digested.transferTo(java.io.OutputStream.nullOutputStream());
            return HexFormat.of().formatHex(digested.getMessageDigest().digest());
        } catch (NoSuchAlgorithmException everyJdkHasIt) {
            throw new IllegalStateException(everyJdkHasIt);
        }
    }
}
