package ai.molecule.proxy.a2a;

import java.util.HashMap;
import java.util.Map;

/** The headers that an agent gets. */
final class A2aHeaders {

    private A2aHeaders() {}

    static Map<String, String> of(Map<String, String> passedOn, Admission.Admitted admitted) {
        Map<String, String> headers = new HashMap<>(passedOn);
        headers.put("Content-Type", "application/json");
        headers.put("Accept", "application/json, text/event-stream");
        headers.put("X-Molecule-Target", admitted.target().toString());
        var caller = admitted.sender().workspaceId();
        if (caller != null) {
            headers.put("X-Workspace-ID", caller.toString());
        }
        return headers;
    }
}
