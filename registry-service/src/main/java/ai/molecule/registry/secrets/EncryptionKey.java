package ai.molecule.registry.secrets;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/** {@code SECRETS_ENCRYPTION_KEY}: 32 bytes, as standard Base64 with padding or, failing that, as 32 bytes of text. */
public final class EncryptionKey {

    private static final int BYTES = 32;
    private static final int ID_BYTES = 8;

    private final SecretKey key;
    private final String id;

    private EncryptionKey(byte[] bytes) {
        this.key = new SecretKeySpec(bytes, "AES");
        this.id = idOf(bytes);
    }

    /**
     * Empty when the text is no key. Base64 is tried first and then decides: 32 letters and digits are Base64 of 24 bytes, and so
     * are no key.
     */
    public static Optional<EncryptionKey> of(@Nullable String text) {
        if (text == null) {
            return Optional.empty();
        }
        byte[] bytes = bytesOf(text);
        return bytes.length == BYTES ? Optional.of(new EncryptionKey(bytes)) : Optional.empty();
    }

    SecretKey key() {
        return key;
    }

    /** 16 hexadecimal digits that tell this key from others and say nothing else about it. */
    String id() {
        return id;
    }

    private static String idOf(byte[] bytes) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(bytes, "HmacSHA256"));
            byte[] digest = mac.doFinal("molecule secrets key id".getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, ID_BYTES);
        } catch (GeneralSecurityException everyJdkCan) {
            throw new IllegalStateException(everyJdkCan);
        }
    }

    private static byte[] bytesOf(String text) {
        if (text.length() % 4 == 0) { // Java also takes Base64 without its padding
            try {
                return Base64.getDecoder().decode(text);
            } catch (IllegalArgumentException notBase64) {
                // then the text itself
            }
        }
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
