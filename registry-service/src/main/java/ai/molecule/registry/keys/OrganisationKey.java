package ai.molecule.registry.keys;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Base64;
import org.bouncycastle.crypto.params.Ed25519PrivateKeyParameters;
import org.jspecify.annotations.Nullable;

/**
 * One key of the organisation.
 *
 * @param kid its thumbprint (RFC 7638)
 * @param publicKey 32 bytes
 * @param privateKey null once it is retired, and where no key of the vault opens it
 * @param signsFrom later than it is published
 * @param retiresAt from then on nobody believes what it signs anew; null for the newest
 */
public record OrganisationKey(
        String kid,
        byte[] publicKey,
        @Nullable Ed25519PrivateKeyParameters privateKey,
        Instant signsFrom,
        @Nullable Instant retiresAt) {

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

    static OrganisationKey fresh(Instant signsFrom) {
        var made = new Ed25519PrivateKeyParameters(RANDOM);
        byte[] publicKey = made.generatePublicKey().getEncoded();
        return new OrganisationKey(thumbprint(publicKey), publicKey, made, signsFrom, null);
    }

    boolean signsAt(Instant now) {
        return privateKey != null && !signsFrom.isAfter(now) && isBelievedAt(now);
    }

    boolean isBelievedAt(Instant now) {
        return retiresAt == null || retiresAt.isAfter(now);
    }

    /** RFC 8037. */
    ObjectNode jwk() {
        return Json.object()
                .put("kty", "OKP")
                .put("crv", "Ed25519")
                .put("use", "sig")
                .put("alg", "EdDSA")
                .put("kid", kid)
                .put("x", BASE64.encodeToString(publicKey));
    }

    private static String thumbprint(byte[] publicKey) {
        String canonical = "{\"crv\":\"Ed25519\",\"kty\":\"OKP\",\"x\":\"" + BASE64.encodeToString(publicKey) + "\"}";
        try {
            return BASE64.encodeToString(
                    MessageDigest.getInstance("SHA-256").digest(canonical.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException everyJdkHasIt) {
            throw new AssertionError(everyJdkHasIt);
        }
    }

    /** Without the private part. */
    @Override
    public String toString() {
        return "OrganisationKey[" + kid + "]";
    }
}
