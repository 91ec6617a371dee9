package ai.molecule.registry.people;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.text.Normalizer;
import java.util.Base64;
import java.util.regex.Pattern;
import org.bouncycastle.crypto.generators.Argon2BytesGenerator;
import org.bouncycastle.crypto.params.Argon2Parameters;

/**
 * Argon2id (RFC 9106) as text, {@code $argon2id$v=19$m=19456,t=2,p=1$<salt>$<hash>}, so that a stored one says what it was made with. The
 * costs are those that OWASP recommends: 19 MiB and two passes, some 40 ms. For worker threads.
 */
final class PasswordHash {

    private static final int MEMORY_KIB = 19_456;
    private static final int PASSES = 2;
    private static final int SALT_BYTES = 16;
    private static final int HASH_BYTES = 32;

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final Base64.Encoder TO_TEXT = Base64.getEncoder().withoutPadding();
    private static final Base64.Decoder FROM_TEXT = Base64.getDecoder();
    private static final Pattern STORED =
            Pattern.compile("\\$argon2id\\$v=19\\$m=(\\d{1,7}),t=(\\d{1,2}),p=1\\$([A-Za-z0-9+/]+)\\$([A-Za-z0-9+/]+)");

    private PasswordHash() {}

    static String of(String password) {
        byte[] salt = new byte[SALT_BYTES];
        RANDOM.nextBytes(salt);
        return "$argon2id$v=19$m=%d,t=%d,p=1$%s$%s"
                .formatted(
                        MEMORY_KIB,
                        PASSES,
                        TO_TEXT.encodeToString(salt),
                        TO_TEXT.encodeToString(hash(password, salt, MEMORY_KIB, PASSES)));
    }

    /** Whether it is the password; never for a text that this class did not make. */
    static boolean matches(String password, String stored) {
        var parts = STORED.matcher(stored);
        if (!parts.matches()) {
            return false;
        }
        byte[] shown = hash(
                password,
                FROM_TEXT.decode(parts.group(3)),
                Integer.parseInt(parts.group(1)),
                Integer.parseInt(parts.group(2)));
        return MessageDigest.isEqual(shown, FROM_TEXT.decode(parts.group(4)));
    }

    /** However a keyboard composes its letters, it is the same password. */
    private static byte[] hash(String password, byte[] salt, int memoryKib, int passes) {
        var generator = new Argon2BytesGenerator();
        generator.init(new Argon2Parameters.Builder(Argon2Parameters.ARGON2_id)
                .withVersion(Argon2Parameters.ARGON2_VERSION_13)
                .withMemoryAsKB(memoryKib)
                .withIterations(passes)
                .withParallelism(1)
                .withSalt(salt)
                .build());
        byte[] hash = new byte[HASH_BYTES];
        generator.generateBytes(
                Normalizer.normalize(password, Normalizer.Form.NFC).getBytes(StandardCharsets.UTF_8), hash);
        return hash;
    }
}
