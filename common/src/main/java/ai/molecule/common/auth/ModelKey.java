package ai.molecule.common.auth;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/**
 * What programs show at the model door in the place of a provider's key. It is made from a workspace's token and lives as long; whoever has
 * it learns nothing of the token, and no other door opens to it. Looks like an API key, because programs and filters of secrets expect one.
 */
public final class ModelKey {

    private static final String PREFIX = "sk-molecule-";
    private static final byte[] PURPOSE = "molecule model door\n".getBytes(StandardCharsets.UTF_8);

    private ModelKey() {}

    /** The one key of a token. */
    public static String of(String token) {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            digest.update(PURPOSE);
            byte[] key = digest.digest(token.getBytes(StandardCharsets.UTF_8));
            return PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(key);
        } catch (NoSuchAlgorithmException everyJdkHasIt) {
            throw new AssertionError(everyJdkHasIt);
        }
    }
}
