package ai.molecule.registry.registrations;

import ai.molecule.common.auth.Ids;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.json.Json;
import ai.molecule.common.workspaces.Delivery;
import ai.molecule.registry.workspaces.FieldRules;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.UUID;

/**
 * An agent announcing itself.
 *
 * @param agentCard JSON text
 */
public record Registration(UUID workspaceId, String url, String agentCard) {

    /** {@code {"id", "url", "agent_card"}}, all required; with {@code "delivery_mode":"poll"} the URL may be empty. */
    static Registration of(JsonBody body) {
        return new Registration(Ids.find(body.requiredText("id")).orElseThrow(body::bad), url(body), cardOf(body));
    }

    /** Its JSON text; fails with TOO_LARGE when others should not have to read it. */
    static String cardOf(JsonBody body) {
        String card = Json.text(body.requiredNode("agent_card"));
        FieldRules.checkCard(card);
        return card;
    }

    private static String url(JsonBody body) {
        boolean unnamed = body.text("url", "").isEmpty();
        boolean fetches = unnamed
                && body.node("delivery_mode") instanceof TextNode mode
                && mode.textValue().equals("poll");
        return fetches ? Delivery.NO_INBOUND : body.requiredText("url");
    }
}
