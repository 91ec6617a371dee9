package ai.molecule.proxy.a2a.calls;

import ai.molecule.proxy.a2a.admission.Admission;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The headers that an agent gets. */
public final class AgentHeaders {

    static final String TARGET = "X-Molecule-Target";
    static final String CALLER = "X-Workspace-ID";

    private AgentHeaders() {}

    /** @param passedOn as the sender sent them */
    static Map<String, String> of(Map<String, String> passedOn, Admission.Admitted admitted) {
        return of(passedOn, admitted.target(), admitted.sender().workspaceId());
    }

    /**
     * Of a request that the platform makes by itself.
     *
     * @param caller on whose behalf; null for the canvas
     */
    public static Map<String, String> of(UUID target, @Nullable UUID caller) {
        return of(Map.of(), target, caller);
    }

    private static Map<String, String> of(Map<String, String> passedOn, UUID target, @Nullable UUID caller) {
        Map<String, String> headers = new HashMap<>(passedOn);
        headers.put("Content-Type", "application/json");
        headers.put("Accept", "application/json, text/event-stream");
        headers.put(TARGET, target.toString());
        if (caller != null) {
            headers.put(CALLER, caller.toString());
        }
        return headers;
    }
}
