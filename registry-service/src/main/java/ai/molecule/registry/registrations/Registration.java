package ai.molecule.registry.registrations;

import ai.molecule.common.auth.Ids;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.json.Json;
import java.util.UUID;

/**
 * An agent announcing itself.
 *
 * @param agentCard JSON text
 */
public record Registration(UUID workspaceId, String url, String agentCard) {

    /** {@code {"id", "url", "agent_card"}}, all required. */
    static Registration of(JsonBody body) {
        return new Registration(
                Ids.find(body.requiredText("id")).orElseThrow(body::bad),
                body.requiredText("url"),
                Json.text(body.requiredNode("agent_card")));
    }
}
