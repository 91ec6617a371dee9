package ai.molecule.proxy.a2a;

import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The headers of a request that the platform makes to an agent by itself. */
final class AgentHeaders {

    private AgentHeaders() {}

    /** @param caller on whose behalf; null for the canvas */
    static Map<String, String> of(UUID target, @Nullable UUID caller) {
        Map<String, String> headers = new HashMap<>();
        headers.put("Content-Type", "application/json");
        headers.put("Accept", "application/json, text/event-stream");
        headers.put("X-Molecule-Target", target.toString());
        if (caller != null) {
            headers.put("X-Workspace-ID", caller.toString());
        }
        return headers;
    }
}
