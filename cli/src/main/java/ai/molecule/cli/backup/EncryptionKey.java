package ai.molecule.cli.backup;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.data.DataFolder;
import ai.molecule.cli.data.PrivateFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * What the secrets in the tables are sealed with: {@code SECRETS_ENCRYPTION_KEY}, else that of the data folder. Whoever has it and a backup
 * reads them, so it is in no backup unless somebody says so.
 *
 * @param text as the services are given it
 */
record EncryptionKey(String text) {

    static final String FILE = "encryption-key";
    private static final String VARIABLE = "SECRETS_ENCRYPTION_KEY";
    private static final int CHECK_BYTES = 8;

    /** @throws LaunchFailure when there is none */
    static EncryptionKey find(DataFolder data, Map<String, String> environment) throws IOException {
        String named = environment.getOrDefault(VARIABLE, "");
        if (!named.isEmpty()) {
            return new EncryptionKey(named);
        }
        Path file = data.secrets().resolve(FILE);
        if (!Files.isReadable(file)) {
            throw LaunchFailure.usersTurn("There is no platform in " + data.root()
                    + ", or its secrets are another user's; name its folder with --data.");
        }
        var key = new EncryptionKey(Files.readString(file).strip());
        if (key.text.isEmpty()) {
            throw LaunchFailure.usersTurn(file + " is empty; put the key back, or name it in " + VARIABLE
                    + ": without it no backup is of use.");
        }
        return key;
    }

    static EncryptionKey read(Path file) {
        try {
            return new EncryptionKey(Files.readString(file).strip());
        } catch (IOException e) {
            throw LaunchFailure.usersTurn("The key cannot be read (" + PrivateFiles.reason(e) + ").");
        }
    }

    void write(DataFolder data) throws IOException {
        PrivateFiles.write(data.secrets().resolve(FILE), text + "\n");
    }

    /** 64 bits that only this key gives: enough to notice another one, too few and too far from it to find it. */
    String check() {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(text.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            byte[] tag = mac.doFinal("molecule backup".getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(tag, 0, CHECK_BYTES);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has HmacSHA256", e);
        }
    }

    /** Names no secret: records end up in logs. */
    @Override
    public String toString() {
        return "EncryptionKey[…]";
    }
}
