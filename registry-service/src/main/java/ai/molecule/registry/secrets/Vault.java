package ai.molecule.registry.secrets;

import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Seals values for storage with the present key, and opens what that or an older key sealed: AES-256-GCM, stored as 12 bytes of
 * nonce, the ciphertext and 16 bytes of tag, with the row it belongs to as associated data, so that no row opens with another's
 * value; a reference to a value likewise. Without a key, which only production requires, values are stored in clear, and those sealed before cannot be opened.
 */
public final class Vault {

    /** The row of a value. */
    public record Place(String table, @Nullable UUID workspaceId, String key) {

        /** Of a secret; without a workspace of a global one. */
        Place(@Nullable UUID workspaceId, String key) {
            this(workspaceId == null ? "global_secrets" : "workspace_secrets", workspaceId, key);
        }

        public static Place organisationKey(String kid) {
            return new Place("organisation_keys", null, kid);
        }

        /** The same, where a reference to a value stands there: none of the two opens as the other. */
        Place ofReference() {
            return new Place(table + "#reference", workspaceId, key);
        }

        /** A row of another service's. */
        static Place elsewhere(String place) {
            return new Place("elsewhere", null, place);
        }

        static Place kept(String key) {
            return new Place("kept_secrets", null, key);
        }

        /** No key holds a NUL, so no two rows share it. */
        private byte[] associatedData() {
            return (table + "\0" + (workspaceId == null ? "" : workspaceId) + "\0" + key)
                    .getBytes(StandardCharsets.UTF_8);
        }
    }

    /**
     * A value as it is stored.
     *
     * @param keyId of the key that sealed it; null in clear and in version 1
     */
    public record Sealed(
            Buffer bytes, int version, @Nullable String keyId) {}

    static final int IN_CLEAR = 0;

    /** Without the row: what stood before there were key ids. */
    static final int UNBOUND = 1;

    static final int BOUND = 2;

    /** As {@link #BOUND}, not of a value but of a reference to one; what is older than these refuses both, as it should. */
    static final int REFERENCE = 3;

    static final int REFERENCE_IN_CLEAR = 4;

    private static final Logger LOGGER = LoggerFactory.getLogger(Vault.class);
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final String CIPHER = "AES/GCM/NoPadding";
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;
    private static final byte[] NO_ROW = {};

    private final @Nullable EncryptionKey key;
    private final List<EncryptionKey> openers;

    /** @param old keys that open what they sealed once, and seal nothing any more */
    public Vault(@Nullable EncryptionKey key, List<EncryptionKey> old) {
        this.key = key;
        this.openers = Stream.concat(Stream.ofNullable(key), old.stream()).toList();
        if (key == null) {
            LOGGER.atWarn()
                    .log(
                            "secrets are stored in clear: SECRETS_ENCRYPTION_KEY is neither Base64 of 32 bytes nor 32 bytes");
        }
    }

    /** Of the key that seals; empty without one. */
    Optional<String> keyId() {
        return Optional.ofNullable(key).map(EncryptionKey::id);
    }

    static boolean isReference(int version) {
        return version == REFERENCE || version == REFERENCE_IN_CLEAR;
    }

    /** As {@link #seal}, of the text of a reference to a value. */
    Sealed sealReference(Place place, String reference) {
        var sealed = seal(place.ofReference(), reference);
        return new Sealed(sealed.bytes, sealed.version == BOUND ? REFERENCE : REFERENCE_IN_CLEAR, sealed.keyId);
    }

    public Sealed seal(Place place, String value) {
        byte[] clear = value.getBytes(StandardCharsets.UTF_8);
        if (key == null) {
            return new Sealed(Buffer.buffer(clear), IN_CLEAR, null);
        }
        byte[] nonce = new byte[NONCE_BYTES];
        RANDOM.nextBytes(nonce);
        try {
            byte[] sealed = run(Cipher.ENCRYPT_MODE, key, nonce, place.associatedData(), clear);
            return new Sealed(Buffer.buffer(nonce).appendBytes(sealed), BOUND, key.id());
        } catch (GeneralSecurityException everyJdkCan) {
            throw new IllegalStateException("a secret could not be sealed", everyJdkCan);
        }
    }

    /** Empty when it was sealed with a key that is not known, or for another row, or changed since. */
    public Optional<String> open(Place place, Sealed sealed) {
        byte[] bytes = sealed.bytes.getBytes();
        return switch (sealed.version) {
            case IN_CLEAR, REFERENCE_IN_CLEAR -> Optional.of(new String(bytes, StandardCharsets.UTF_8));
            case UNBOUND ->
                openers.stream()
                        .flatMap(opener -> open(opener, NO_ROW, bytes).stream())
                        .findFirst();
            case BOUND -> openBound(place, sealed);
            case REFERENCE -> openBound(place.ofReference(), sealed);
            default -> Optional.empty();
        };
    }

    private Optional<String> openBound(Place place, Sealed sealed) {
        return openers.stream()
                .filter(opener -> opener.id().equals(sealed.keyId))
                .flatMap(opener -> open(opener, place.associatedData(), sealed.bytes.getBytes()).stream())
                .findFirst();
    }

    private static Optional<String> open(EncryptionKey key, byte[] row, byte[] bytes) {
        if (bytes.length < NONCE_BYTES) {
            return Optional.empty();
        }
        byte[] nonce = Arrays.copyOf(bytes, NONCE_BYTES);
        byte[] rest = Arrays.copyOfRange(bytes, NONCE_BYTES, bytes.length);
        try {
            return Optional.of(new String(run(Cipher.DECRYPT_MODE, key, nonce, row, rest), StandardCharsets.UTF_8));
        } catch (GeneralSecurityException notOurs) {
            return Optional.empty();
        }
    }

    private static byte[] run(int mode, EncryptionKey key, byte[] nonce, byte[] row, byte[] text)
            throws GeneralSecurityException {
        var cipher = Cipher.getInstance(CIPHER);
        cipher.init(mode, key.key(), new GCMParameterSpec(TAG_BITS, nonce));
        cipher.updateAAD(row);
        return cipher.doFinal(text);
    }
}
