package ai.molecule.common.models;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

/**
 * Whose price lists are believed: Ed25519 public keys (RFC 8032), one of which has to have signed the exact bytes of a list. None comes with
 * Molecule (docs/adr/0129). Several at once let a publisher change its key.
 */
public record PriceListKeys(List<PublicKey> keys) {

    public static final String ALGORITHM = "Ed25519";

    /** Behind the name of a list: where its signature stands, in Base64. */
    public static final String SIGNATURE_SUFFIX = ".sig";

    private static final int KEYS_MAX = 8;

    private static final String BEGIN = "-----BEGIN PUBLIC KEY-----";
    private static final String END = "-----END PUBLIC KEY-----";

    /**
     * {@link IllegalArgumentException} says what is wrong, to be put behind the name of a setting.
     *
     * @param text public keys as PEM (RFC 8410), one after the other, or only what stands between the lines of PEM, divided by commas
     */
    public static PriceListKeys read(String text) {
        var written = Arrays.stream(text.replace(BEGIN, "").split(END + "|,", -1))
                .map(key -> key.replaceAll("\\s", ""))
                .filter(key -> !key.isEmpty())
                .toList();
        if (written.isEmpty() || written.size() > KEYS_MAX) {
            throw new IllegalArgumentException("needs 1 to %d public keys".formatted(KEYS_MAX));
        }
        return new PriceListKeys(written.stream().map(PriceListKeys::key).toList());
    }

    private static PublicKey key(String base64) {
        try {
            byte[] encoded = Base64.getDecoder().decode(base64);
            return KeyFactory.getInstance(ALGORITHM).generatePublic(new X509EncodedKeySpec(encoded));
        } catch (IllegalArgumentException | GeneralSecurityException wrong) {
            throw new IllegalArgumentException("needs Ed25519 public keys, as PEM or in Base64", wrong);
        }
    }

    /** @param signature in Base64, whatever white space is in it */
    public boolean haveSigned(byte[] content, String signature) {
        byte[] bytes;
        try {
            bytes = Base64.getDecoder().decode(signature.replaceAll("\\s", ""));
        } catch (IllegalArgumentException notBase64) {
            return false;
        }
        return keys.stream().anyMatch(key -> hasSigned(key, content, bytes));
    }

    private static boolean hasSigned(PublicKey key, byte[] content, byte[] signature) {
        try {
            var check = Signature.getInstance(ALGORITHM);
            check.initVerify(key);
            check.update(content);
            return check.verify(signature);
        } catch (GeneralSecurityException noSignature) {
            return false;
        }
    }
}
