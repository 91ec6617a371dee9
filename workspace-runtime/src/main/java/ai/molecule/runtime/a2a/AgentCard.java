package ai.molecule.runtime.a2a;

import ai.molecule.runtime.agent.Skill;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/**
 * The agent card: made as that of 0.3 with the interfaces of 1.0 beside, and told in either version alone. It declares what this runtime
 * does and nothing else.
 */
public final class AgentCard {

    /** Names the extension method that finds a task by the message that began it. */
    public static final String TASKS_BY_MESSAGE_URI = "urn:molecule:a2a:tasks-by-message";

    /** Says that the agent's program has a login of its own: what its models cost is not metered. */
    public static final String OWN_LOGIN_URI = "urn:molecule:a2a:own-login";

    private static final String TOKEN = "workspaceToken";
    private static final String SPOKEN_BEFORE = "0.3.0";
    private static final String INTERFACES = "supportedInterfaces";
    private static final List<String> IN_BOTH = List.of(
            "name",
            "description",
            INTERFACES,
            "version",
            "capabilities",
            "defaultInputModes",
            "defaultOutputModes",
            "skills");

    private AgentCard() {}

    /**
     * @param description falls back to the name
     * @param url where the agent can be called
     */
    public static ObjectNode create(String name, String description, String version, String url, List<Skill> skills) {
        ObjectNode card = Json.object()
                .put("protocolVersion", SPOKEN_BEFORE)
                .put("name", name)
                .put("description", description.isBlank() ? name : description)
                .put("version", version)
                .put("url", url)
                .put("preferredTransport", "JSONRPC");
        card.putArray("additionalInterfaces").add(Json.object().put("url", url).put("transport", "JSONRPC"));
        ArrayNode interfaces = card.putArray(INTERFACES);
        interfaces
                .add(at(url, "JSONRPC", "1.0"))
                .add(at(url, "HTTP+JSON", "1.0"))
                .add(at(url, "JSONRPC", "0.3"));
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
                .putObject(TOKEN)
                .put("type", "http")
                .put("scheme", "bearer")
                .put("description", "A pair token of the platform.");
        card.putArray("security").addObject().putArray(TOKEN);
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

    /** The members that the version has, and no others. */
    static ObjectNode in(CardForm form, ObjectNode card) {
        return switch (form) {
            case BOTH -> card;
            case V0_3 -> card.deepCopy().without(INTERFACES);
            case V1_0 -> of10(card);
        };
    }

    private static ObjectNode of10(ObjectNode card) {
        ObjectNode pure = Json.object();
        IN_BOTH.forEach(member -> pure.set(member, card.get(member)));
        ObjectNode capabilities = card.withObjectProperty("capabilities").deepCopy();
        capabilities.remove("stateTransitionHistory");
        pure.set("capabilities", capabilities.put("extendedAgentCard", false));
        JsonNode scheme = card.path("securitySchemes").path(TOKEN);
        if (scheme.isObject()) {
            pure.putObject("securitySchemes")
                    .putObject(TOKEN)
                    .putObject("httpAuthSecurityScheme")
                    .put("description", scheme.path("description").asText())
                    .put("scheme", scheme.path("scheme").asText());
            pure.putArray("securityRequirements")
                    .addObject()
                    .putObject("schemes")
                    .putObject(TOKEN)
                    .putArray("list");
        }
        return pure;
    }

    private static ObjectNode at(String url, String binding, String version) {
        return Json.object().put("url", url).put("protocolBinding", binding).put("protocolVersion", version);
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
