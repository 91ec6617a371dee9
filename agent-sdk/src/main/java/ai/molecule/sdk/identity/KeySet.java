package ai.molecule.sdk.identity;

import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The platform's public keys, as {@code /.well-known/jwks.json} tells them, and what is signed with them: compact JWS (RFC 7515) with
 * Ed25519 (RFC 8037) and nothing else, whatever its header would like.
 *
 * <pre>{@code
 * JsonNode claims = KeySet.of(jwks).verify(token, "molecule-pair+jwt");
 * }</pre>
 */
public final class KeySet {

    /** Believes nothing. */
    public static final KeySet NONE = new KeySet(Map.of(), Map.of());

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private static final int JWS_MAX_CHARS = 4_096;
    private static final int KEYS_MAX = 1_000;
    private static final int KEY_BYTES = 32;
    private static final Set<String> HEADER = Set.of("alg", "typ", "kid");

    /** SubjectPublicKeyInfo of an Ed25519 key (RFC 8410), up to the key itself. */
    private static final byte[] X509_PREFIX = {0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00};

    private final Map<String, PublicKey> believed;
    private final Map<String, PublicKey> retired;

    private KeySet(Map<String, PublicKey> believed, Map<String, PublicKey> retired) {
        this.believed = believed;
        this.retired = retired;
    }

    /** Of a JWK set; keys of other kinds in it are passed over. Those beside it that are {@code retired} are for what was signed long ago. */
    public static KeySet of(JsonNode jwks) {
        return new KeySet(keys(jwks.path("keys")), keys(jwks.path("retired")));
    }

    public boolean isEmpty() {
        return believed.isEmpty();
    }

    /**
     * What is signed, by a key that is believed now.
     *
     * @param type its {@code typ}, exactly
     * @return its claims, a JSON object
     */
    public JsonNode verify(String jws, String type) throws NotBelieved {
        return verify(jws, type, believed);
    }

    /** The same, by any key that ever was the platform's: of what is kept longer than keys are. */
    public JsonNode verifyKept(String jws, String type) throws NotBelieved {
        var all = new HashMap<>(retired);
        all.putAll(believed);
        return verify(jws, type, all);
    }

    /** What is said to be signed, whoever signed it. */
    static JsonNode unverified(String jws) throws NotBelieved {
        return object(part(parts(jws)[1]));
    }

    private static JsonNode verify(String jws, String type, Map<String, PublicKey> keys) throws NotBelieved {
        String[] parts = parts(jws);
        JsonNode header = object(part(parts[0]));
        for (Map.Entry<String, JsonNode> member : header.properties()) {
            if (!HEADER.contains(
                    member.getKey())) { // crit, jwk, jku, x5c, b64 …: who signs is not for the signed to say
                throw NotBelieved.because("signed in a way that is not understood");
            }
        }
        if (!"EdDSA".equals(header.path("alg").textValue())) {
            throw NotBelieved.because("signed in a way that is not understood");
        }
        if (!type.equals(header.path("typ").textValue())) {
            throw NotBelieved.because("signed as something else");
        }
        PublicKey key = keys.get(String.valueOf(header.path("kid").textValue()));
        if (key == null) {
            throw NotBelieved.unknownKey();
        }
        if (!signed(key, parts[0] + "." + parts[1], part(parts[2]))) {
            throw NotBelieved.because("its signature is not the platform's");
        }
        return object(part(parts[1]));
    }

    private static boolean signed(PublicKey key, String text, byte[] signature) {
        try {
            var verifier = Signature.getInstance("Ed25519");
            verifier.initVerify(key);
            verifier.update(text.getBytes(StandardCharsets.US_ASCII));
            return verifier.verify(signature);
        } catch (GeneralSecurityException malformed) {
            return false;
        }
    }

    private static String[] parts(String jws) throws NotBelieved {
        String[] parts = jws.length() > JWS_MAX_CHARS ? new String[0] : jws.split("\\.", -1);
        if (parts.length != 3) {
            throw NotBelieved.because("not signed");
        }
        return parts;
    }

    /** In the one spelling there is: another one of the same bytes would be another token. */
    private static byte[] part(String text) throws NotBelieved {
        try {
            byte[] bytes = Base64.getUrlDecoder().decode(text);
            if (Base64.getUrlEncoder().withoutPadding().encodeToString(bytes).equals(text)) {
                return bytes;
            }
        } catch (IllegalArgumentException notBase64) {
            // told below
        }
        throw NotBelieved.because("not signed");
    }

    private static JsonNode object(byte[] json) throws NotBelieved {
        try {
            JsonNode read = JSON.readTree(json);
            if (read.isObject()) {
                return read;
            }
        } catch (IOException notJson) {
            // told below
        }
        throw NotBelieved.because("not signed");
    }

    private static Map<String, PublicKey> keys(JsonNode jwks) {
        Map<String, PublicKey> keys = new HashMap<>();
        for (JsonNode jwk : jwks) {
            String kid = jwk.path("kid").asText("");
            PublicKey key = key(jwk);
            if (key != null && !kid.isEmpty() && keys.size() < KEYS_MAX) {
                keys.put(kid, key);
            }
        }
        return Map.copyOf(keys);
    }

    private static @Nullable PublicKey key(JsonNode jwk) {
        if (!jwk.path("kty").asText().equals("OKP") || !jwk.path("crv").asText().equals("Ed25519")) {
            return null;
        }
        try {
            byte[] x = Base64.getUrlDecoder().decode(jwk.path("x").asText());
            if (x.length != KEY_BYTES) {
                return null;
            }
            byte[] encoded = new byte[X509_PREFIX.length + KEY_BYTES];
            System.arraycopy(X509_PREFIX, 0, encoded, 0, X509_PREFIX.length);
            System.arraycopy(x, 0, encoded, X509_PREFIX.length, KEY_BYTES);
            return KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(encoded));
        } catch (GeneralSecurityException | IllegalArgumentException noKey) {
            return null;
        }
    }
}
