package ai.molecule.cli.data;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;

/**
 * What the platform of this folder keeps secret, made at its first start and the same ever after. One file each, mode 0600.
 *
 * @param encryptionKey standard base64 of 32 bytes, as {@code SECRETS_ENCRYPTION_KEY} wants it
 * @param edgeSecret shared by the front door and the owners behind it
 * @param adminToken only in production: development on loopback has no credential at all
 */
public record Secrets(
        String encryptionKey,
        String edgeSecret,
        String postgresPassword,
        String redisPassword,
        Optional<String> adminToken) {

    public static final String ADMIN_TOKEN_FILE = "admin-token";

    private static final SecureRandom RANDOM = new SecureRandom();

    /** Reads the folder's secrets and makes those that are missing; an ADMIN_TOKEN only when {@code production}. */
    public static Secrets load(DataFolder data, boolean production) throws IOException {
        Path folder = data.secrets();
        return new Secrets(
                readOrCreate(
                        folder.resolve("encryption-key"), Base64.getEncoder().encodeToString(random())),
                readOrCreate(folder.resolve("edge-secret"), hex()),
                readOrCreate(folder.resolve("postgres-password"), hex()),
                readOrCreate(folder.resolve("redis-password"), hex()),
                production ? Optional.of(readOrCreate(folder.resolve(ADMIN_TOKEN_FILE), hex())) : Optional.empty());
    }

    static String readOrCreate(Path file, String fresh) throws IOException {
        try {
            String known = Files.readString(file).strip();
            if (!known.isEmpty()) {
                return known;
            }
        } catch (NoSuchFileException e) {
            // first start
        }
        PrivateFiles.write(file, fresh + "\n");
        return fresh;
    }

    /** 256 random bits. */
    static String hex() {
        return HexFormat.of().formatHex(random());
    }

    private static byte[] random() {
        var bytes = new byte[32];
        RANDOM.nextBytes(bytes);
        return bytes;
    }

    /** Names no secret: records end up in logs. */
    @Override
    public String toString() {
        return "Secrets[…]";
    }
}
