package ai.molecule.runtime;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * Secrets that whoever starts agents hands over in a file, where nobody who looks at the process sees them: {@code
 * MOLECULE_SECRETS_FILE}, a JSON object of texts. It is deleted once it is read.
 */
final class HandedOver {

    private static final String VARIABLE = "MOLECULE_SECRETS_FILE";

    /** A megabyte of secrets, each byte of it escaped. */
    private static final long FILE_MAX_BYTES = 8L * 1024 * 1024;

    private HandedOver() {}

    /**
     * The environment with the secrets in it; as it is when none were handed over. What is set already stays.
     *
     * @throws PreflightFailure when there is a file and it cannot be read
     */
    static Map<String, String> addedTo(Map<String, String> environment) {
        String file = environment.getOrDefault(VARIABLE, "");
        if (file.isBlank()) {
            return environment;
        }
        Map<String, String> whole = new HashMap<>(environment);
        whole.remove(VARIABLE);
        read(Path.of(file))
                .properties()
                .forEach(secret ->
                        whole.putIfAbsent(secret.getKey(), secret.getValue().asText()));
        return whole;
    }

    private static JsonNode read(Path file) {
        try {
            if (Files.size(file) > FILE_MAX_BYTES) {
                throw unreadable("it is larger than 8 MiB");
            }
            var secrets = new ObjectMapper().readTree(Files.readAllBytes(file));
            Files.delete(file);
            return secrets;
        } catch (JsonProcessingException notJson) {
            throw unreadable("it is no JSON"); // whose words might quote it
        } catch (IOException e) {
            throw unreadable(String.valueOf(e));
        }
    }

    private static PreflightFailure unreadable(String reason) {
        return new PreflightFailure(
                "Environment",
                VARIABLE + " cannot be read: " + reason,
                "Restart the workspace: the file is made anew at each start.");
    }
}
