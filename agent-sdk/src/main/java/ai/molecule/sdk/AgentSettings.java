package ai.molecule.sdk;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.time.Duration;

/** What an agent chose for itself. */
record AgentSettings(
        JsonNode agentCard,
        String reportedUrl,
        Duration heartbeatInterval,
        Duration stateInterval,
        Duration urlCacheTimeToLive,
        Path pluginsFolder) {

    AgentSettings {
        requirePositive("heartbeat interval", heartbeatInterval);
        requirePositive("state interval", stateInterval);
    }

    private static void requirePositive(String what, Duration value) {
        if (value.isNegative() || value.isZero()) {
            throw new IllegalArgumentException("the " + what + " must be positive: " + value);
        }
    }
}
