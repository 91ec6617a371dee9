package ai.molecule.registry.keys;

import ai.molecule.common.ApiError;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.bouncycastle.crypto.params.Ed25519PublicKeyParameters;
import org.bouncycastle.crypto.signers.Ed25519Signer;

/** What {@link Issuer} signed once, read again: by any key that ever was the organisation's. */
public record SignatureCheck(OrganisationKeys keys) {

    static final int JWS_MAX_CHARS = 4_096;

    private static final int HEADER_MEMBERS = 3;
    private static final int SIGNATURE_BYTES = 64;

    /**
     * The claims of a compact JWS. Throws FORBIDDEN, with {@code what} it should be, for anything that is not signed by the organisation, or
     * as something else.
     *
     * @param type its {@code typ}, exactly
     */
    public JsonNode verify(String jws, String type, String what) {
        String[] parts = jws.length() > JWS_MAX_CHARS ? new String[0] : jws.split("\\.", -1);
        if (parts.length != 3) {
            throw notOne(what);
        }
        try {
            var header = Json.parse(bytes(parts[0]));
            boolean understood =
                    header.size() == HEADER_MEMBERS // crit, jwk, jku …: who signs is not for the signed to say
                            && "EdDSA".equals(header.path("alg").textValue())
                            && type.equals(header.path("typ").textValue());
            var key = keys.find(header.path("kid").asText());
            byte[] signature = bytes(parts[2]);
            if (!understood || key.isEmpty() || signature.length != SIGNATURE_BYTES) {
                throw notOne(what);
            }
            byte[] signed = (parts[0] + "." + parts[1]).getBytes(StandardCharsets.US_ASCII);
            var verifier = new Ed25519Signer();
            verifier.init(false, new Ed25519PublicKeyParameters(key.get().publicKey()));
            verifier.update(signed, 0, signed.length);
            if (!verifier.verifySignature(signature)) {
                throw notOne(what);
            }
            return Json.parse(bytes(parts[1]));
        } catch (IOException | IllegalArgumentException malformed) {
            throw notOne(what);
        }
    }

    /** In the one spelling there is: another one of the same bytes would be another token. */
    private static byte[] bytes(String text) {
        byte[] read = Base64.getUrlDecoder().decode(text);
        if (!Base64.getUrlEncoder().withoutPadding().encodeToString(read).equals(text)) {
            throw new IllegalArgumentException("another spelling");
        }
        return read;
    }

    private static ApiError notOne(String what) {
        return ApiError.forbidden("this is no " + what + " of this platform");
    }
}
