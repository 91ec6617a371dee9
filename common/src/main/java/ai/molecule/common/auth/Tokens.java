package ai.molecule.common.auth;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;

/** Bearer tokens: 256 random bits as 43 characters of URL-safe Base64, stored only as SHA-256. */
public final class Tokens {

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int BYTES = 32;

    /** How much of a token is kept in clear, so that people can tell theirs apart. */
    private static final int PREFIX_LENGTH = 8;

    private Tokens() {}

    public static String mint() {
        byte[] bytes = new byte[BYTES];
        RANDOM.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    public static byte[] hash(String token) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException everyJdkHasIt) {
            throw new AssertionError(everyJdkHasIt);
        }
    }

    public static String prefix(String token) {
        return token.substring(0, Math.min(PREFIX_LENGTH, token.length()));
    }

    /** Compares in a time that does not depend on where the two differ. */
    public static boolean same(String one, String other) {
        return MessageDigest.isEqual(one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
    }
}
