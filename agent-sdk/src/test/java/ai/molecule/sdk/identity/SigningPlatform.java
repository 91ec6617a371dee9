package ai.molecule.sdk.identity;

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

/** A platform's key, and tokens in every form that somebody might try. */
final class SigningPlatform {

    static final ObjectMapper JSON = new ObjectMapper();
    private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

    final String kid = UUID.randomUUID().toString();
    private final KeyPair pair = generated();

    JsonNode jwks() {
        ObjectNode jwks = JSON.createObjectNode();
        jwks.putArray("keys").add(jwk());
        return jwks;
    }

    ObjectNode jwk() {
        return JSON.createObjectNode()
                .put("kty", "OKP")
                .put("crv", "Ed25519")
                .put("kid", kid)
                .put("x", BASE64.encodeToString(publicBytes()));
    }

    byte[] publicBytes() {
        byte[] encoded = pair.getPublic().getEncoded();
        return Arrays.copyOfRange(encoded, encoded.length - 32, encoded.length);
    }

    ObjectNode header() {
        return JSON.createObjectNode()
                .put("alg", "EdDSA")
                .put("typ", "molecule-pair+jwt")
                .put("kid", kid);
    }

    static ObjectNode claims(String caller, String target, Instant now) {
        return JSON.createObjectNode()
                .put("iss", "molecule")
                .put("sub", caller)
                .put("aud", target)
                .put("iat", now.getEpochSecond())
                .put("exp", now.getEpochSecond() + 60)
                .put("jti", UUID.randomUUID().toString())
                .put("ver", 7);
    }

    String token(ObjectNode claims) {
        return signed(header().toString(), claims.toString());
    }

    String signed(String header, String claims) {
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

    static String encoded(String text) {
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
