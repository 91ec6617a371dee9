package ai.molecule.cli.data;

import ai.molecule.cli.LaunchFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
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

    private static final String EDGE_SECRET = "edge-secret";
    private static final String POSTGRES_PASSWORD = "postgres-password";
    private static final SecureRandom RANDOM = new SecureRandom();

    /**
     * Reads the folder's secrets and makes those that are missing; an ADMIN_TOKEN only when {@code production}.
     *
     * @throws LaunchFailure when the encryption key is missing where there was one
     */
    public static Secrets load(DataFolder data, boolean production) throws IOException {
        return load(data, production, System.getenv());
    }

    /** @param environment may name the encryption key; the folder has none then */
    public static Secrets load(DataFolder data, boolean production, Map<String, String> environment)
            throws IOException {
        Path folder = data.secrets();
        String named = environment.getOrDefault("SECRETS_ENCRYPTION_KEY", "");
        return new Secrets(
                named.isBlank() ? encryptionKey(data) : named,
                readOrCreate(folder.resolve(EDGE_SECRET), hex()),
                readOrCreate(folder.resolve(POSTGRES_PASSWORD), hex()),
                readOrCreate(folder.resolve("redis-password"), hex()),
                production ? Optional.of(readOrCreate(folder.resolve(ADMIN_TOKEN_FILE), hex())) : Optional.empty());
    }

    /** Made before the others, so that none of them is there without it. */
    private static String encryptionKey(DataFolder data) throws IOException {
        Path file = data.secrets().resolve("encryption-key");
        var known = read(file);
        if (known.isPresent()) {
            return known.get();
        }
        boolean first = read(data.secrets().resolve(EDGE_SECRET)).isEmpty()
                && read(data.secrets().resolve(POSTGRES_PASSWORD)).isEmpty()
                && !Files.exists(data.postgres().resolve("PG_VERSION"));
        if (!first) {
            throw LaunchFailure.usersTurn(
                    file + " is " + (Files.exists(file) ? "empty" : "missing")
                            + ", and this platform's secrets are sealed with it: with a new one they could not be read any more."
                            + " Put it back from where you keep it, or name it in SECRETS_ENCRYPTION_KEY; who has lost it writes a new one there (openssl rand -base64 32) and sets all secrets again.");
        }
        return create(file, Base64.getEncoder().encodeToString(random()));
    }

    static String readOrCreate(Path file, String fresh) throws IOException {
        var known = read(file);
        return known.isPresent() ? known.get() : create(file, fresh);
    }

    /** Empty when there is none, or nothing in it. */
    private static Optional<String> read(Path file) throws IOException {
        try {
            return Optional.of(Files.readString(file).strip()).filter(known -> !known.isEmpty());
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    private static String create(Path file, String fresh) throws IOException {
        PrivateFiles.writeDurably(file, fresh + "\n");
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
