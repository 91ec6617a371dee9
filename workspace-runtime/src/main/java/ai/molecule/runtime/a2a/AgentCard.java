package ai.molecule.runtime.a2a;

import ai.molecule.runtime.agent.Skill;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** The agent card of protocol 0.3. It declares what this runtime does and nothing else. */
public final class AgentCard {

    /** Names the extension method that finds a task by the message that began it. */
    public static final String TASKS_BY_MESSAGE_URI = "urn:molecule:a2a:tasks-by-message";

    /** Says that the agent's program has a login of its own: what its models cost is not metered. */
    public static final String OWN_LOGIN_URI = "urn:molecule:a2a:own-login";

    private AgentCard() {}

    /**
     * @param description falls back to the name
     * @param url where the agent can be called
     */
    public static ObjectNode create(String name, String description, String version, String url, List<Skill> skills) {
        ObjectNode card = Json.object()
                .put("protocolVersion", ProtocolVersion.SPOKEN)
                .put("name", name)
                .put("description", description.isBlank() ? name : description)
                .put("version", version)
                .put("url", url)
                .put("preferredTransport", "JSONRPC");
        card.putArray("additionalInterfaces").add(Json.object().put("url", url).put("transport", "JSONRPC"));
        card.set("capabilities", capabilities());
        card.putArray("defaultInputModes").add("text/plain");
        card.putArray("defaultOutputModes").add("text/plain");
        var list = card.putArray("skills");
        skills.forEach(skill -> list.add(skill(skill)));
        return card;
    }

    /** The same card, of an agent that requires its token. */
    public static ObjectNode withToken(ObjectNode card) {
        card.putObject("securitySchemes")
                .putObject("workspaceToken")
                .put("type", "http")
                .put("scheme", "bearer")
                .put("description", "The workspace's own token.");
        card.putArray("security").addObject().putArray("workspaceToken");
        return card;
    }

    /** The same card, of an agent whose models nobody meters. */
    public static ObjectNode withOwnLogin(ObjectNode card) {
        card.withObject("/capabilities")
                .withArray("extensions")
                .add(Json.object()
                        .put("uri", OWN_LOGIN_URI)
                        .put("description", "Its program has a login of its own: what its models cost is not metered.")
                        .put("required", false));
        return card;
    }

    private static ObjectNode capabilities() {
        ObjectNode capabilities = Json.object()
                .put("streaming", true)
                .put("pushNotifications", false)
                .put("stateTransitionHistory", false);
        ObjectNode byMessage = Json.object()
                .put("uri", TASKS_BY_MESSAGE_URI)
                .put("description", "Finds the task a message became. A message sent again is not run again.")
                .put("required", false);
        byMessage.putObject("params").put("method", A2aMethods.TASKS_BY_MESSAGE);
        capabilities.putArray("extensions").add(byMessage);
        return capabilities;
    }

    private static ObjectNode skill(Skill skill) {
        ObjectNode json =
                Json.object().put("id", skill.id()).put("name", skill.name()).put("description", skill.description());
        skill.tags().forEach(json.putArray("tags")::add);
        return json;
    }
}
