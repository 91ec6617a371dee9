package ai.molecule.common.auth;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** HMAC-SHA256 as webhooks carry it: {@code sha256=} and lower-case hexadecimal digits. */
public final class Signature {

    public static final String PREFIX = "sha256=";

    private static final String ALGORITHM = "HmacSHA256";

    private Signature() {}

    public static String of(String secret, byte[] signed) {
        try {
            var mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), ALGORITHM));
            return PREFIX + HexFormat.of().formatHex(mac.doFinal(signed));
        } catch (GeneralSecurityException everyJdkCan) {
            throw new IllegalStateException("nothing can be signed", everyJdkCan);
        }
    }

    /** In a time that does not tell how much of it is right. */
    public static boolean matches(String secret, byte[] signed, String shown) {
        return MessageDigest.isEqual(
                of(secret, signed).getBytes(StandardCharsets.US_ASCII), shown.getBytes(StandardCharsets.UTF_8));
    }
}
