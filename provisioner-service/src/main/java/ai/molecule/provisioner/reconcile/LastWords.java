package ai.molecule.provisioner.reconcile;

import ai.molecule.provisioner.backend.Backend;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/** How an agent ended and what it printed last, for the events that tell of it. */
final class LastWords {

    private final Backend backend;

    LastWords(Backend backend) {
        this.backend = backend;
    }

    /** At most 20 lines and 4 KiB; empty when there are none, or the engine cannot say. */
    String of(UUID workspaceId) {
        return backend.logTail(workspaceId).otherwise("").await();
    }

    /** The payload with {@code log_tail} where there is something to quote. */
    static Map<String, Object> with(Map<String, Object> payload, String log) {
        Map<String, Object> whole = new LinkedHashMap<>(payload);
        if (!log.isBlank()) {
            whole.put("log_tail", log);
        }
        return whole;
    }
}
