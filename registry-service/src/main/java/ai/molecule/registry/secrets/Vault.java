package ai.molecule.registry.secrets;

import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Optional;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Seals values for storage: AES-256-GCM, stored as 12 bytes of nonce, the ciphertext and 16 bytes of tag. Without a key, which
 * only production requires, values are stored in clear, and those sealed before cannot be opened.
 */
public final class Vault {

    /** A value as it is stored. */
    record Sealed(Buffer bytes, int version) {}

    static final int IN_CLEAR = 0;
    static final int AES_GCM = 1;

    private static final Logger LOGGER = LoggerFactory.getLogger(Vault.class);
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final String CIPHER = "AES/GCM/NoPadding";
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;

    private final @Nullable EncryptionKey key;

    public Vault(@Nullable EncryptionKey key) {
        this.key = key;
        if (key == null) {
            LOGGER.atWarn()
                    .log(
                            "secrets are stored in clear: SECRETS_ENCRYPTION_KEY is neither Base64 of 32 bytes nor 32 bytes");
        }
    }

    Sealed seal(String value) {
        byte[] clear = value.getBytes(StandardCharsets.UTF_8);
        if (key == null) {
            return new Sealed(Buffer.buffer(clear), IN_CLEAR);
        }
        byte[] nonce = new byte[NONCE_BYTES];
        RANDOM.nextBytes(nonce);
        try {
            return new Sealed(Buffer.buffer(nonce).appendBytes(run(Cipher.ENCRYPT_MODE, key, nonce, clear)), AES_GCM);
        } catch (GeneralSecurityException everyJdkCan) {
            throw new IllegalStateException("a secret could not be sealed", everyJdkCan);
        }
    }

    /** Empty when it was sealed with another key, or changed since. */
    Optional<String> open(Sealed sealed) {
        byte[] bytes = sealed.bytes.getBytes();
        if (sealed.version == IN_CLEAR) {
            return Optional.of(new String(bytes, StandardCharsets.UTF_8));
        }
        if (sealed.version != AES_GCM || key == null || bytes.length < NONCE_BYTES) {
            return Optional.empty();
        }
        byte[] nonce = Arrays.copyOf(bytes, NONCE_BYTES);
        byte[] rest = Arrays.copyOfRange(bytes, NONCE_BYTES, bytes.length);
        try {
            return Optional.of(new String(run(Cipher.DECRYPT_MODE, key, nonce, rest), StandardCharsets.UTF_8));
        } catch (GeneralSecurityException notOurs) {
            return Optional.empty();
        }
    }

    private static byte[] run(int mode, EncryptionKey key, byte[] nonce, byte[] text) throws GeneralSecurityException {
        var cipher = Cipher.getInstance(CIPHER);
        cipher.init(mode, key.key(), new GCMParameterSpec(TAG_BITS, nonce));
        return cipher.doFinal(text);
    }
}
