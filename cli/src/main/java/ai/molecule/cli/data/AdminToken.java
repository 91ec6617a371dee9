package ai.molecule.cli.data;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Map;
import java.util.Optional;

/** The credential the launcher uses on its own platform. */
public final class AdminToken {

    private AdminToken() {}

    /** The user's own, else the one in the folder's secrets; empty in development without either, where none is needed. */
    public static Optional<String> find(Map<String, String> environment, DataFolder data) {
        String own = environment.getOrDefault("ADMIN_TOKEN", "");
        if (!own.isBlank()) {
            return Optional.of(own);
        }
        try {
            return Optional.of(Files.readString(data.secrets().resolve(Secrets.ADMIN_TOKEN_FILE))
                    .strip());
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
