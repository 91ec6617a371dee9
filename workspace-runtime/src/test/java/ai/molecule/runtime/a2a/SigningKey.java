package ai.molecule.runtime.a2a;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.UUID;

/** A platform's key, as far as pair tokens go. */
final class SigningKey {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

    private final String kid = UUID.randomUUID().toString();
    private final KeyPair pair = generated();
    volatile boolean away;

    JsonNode jwks() {
        if (away) {
            throw new IllegalStateException("the platform is away");
        }
        byte[] encoded = pair.getPublic().getEncoded();
        ObjectNode jwks = JSON.createObjectNode();
        jwks.putArray("keys")
                .addObject()
                .put("kty", "OKP")
                .put("crv", "Ed25519")
                .put("kid", kid)
                .put("x", BASE64.encodeToString(Arrays.copyOfRange(encoded, encoded.length - 32, encoded.length)));
        return jwks;
    }

    /** One that holds now. */
    String token(String caller, String target) {
        long now = Instant.now().getEpochSecond();
        String header = JSON.createObjectNode()
                .put("alg", "EdDSA")
                .put("typ", "molecule-pair+jwt")
                .put("kid", kid)
                .toString();
        String claims = JSON.createObjectNode()
                .put("iss", "molecule")
                .put("sub", caller)
                .put("aud", target)
                .put("iat", now)
                .put("exp", now + 60)
                .put("jti", UUID.randomUUID().toString())
                .put("ver", 0)
                .toString();
        return signed(header, claims);
    }

    /** What somebody asked this one, by a peer; it may use {@code read}. */
    String passport(String target) {
        String header = JSON.createObjectNode()
                .put("alg", "EdDSA")
                .put("typ", "molecule-passport+jwt")
                .put("kid", kid)
                .toString();
        long now = Instant.now().getEpochSecond();
        ObjectNode claims = JSON.createObjectNode()
                .put("iss", "molecule")
                .put("sub", "person:kim")
                .put("name", "Kim")
                .put("aud", target)
                .put("aud_name", "Me")
                .put("iat", now)
                .put("exp", now + 3_600)
                .put("jti", UUID.randomUUID().toString());
        claims.putArray("tools").add("read");
        return signed(header, claims.toString());
    }

    private String signed(String header, String claims) {
        String text = encoded(header) + "." + encoded(claims);
        try {
            var signer = Signature.getInstance("Ed25519");
            signer.initSign(pair.getPrivate());
            signer.update(text.getBytes(StandardCharsets.US_ASCII));
            return text + "." + BASE64.encodeToString(signer.sign());
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    private static String encoded(String text) {
        return BASE64.encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static KeyPair generated() {
        try {
            return KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }
}
