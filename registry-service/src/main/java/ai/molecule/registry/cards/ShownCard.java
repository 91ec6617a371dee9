package ai.molecule.registry.cards;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/**
 * An agent's card as the front door shows it: what the agent says it can, at the platform's address, with all members that the
 * version requires and none that it does not know. The agent's signatures are left out: they are of another text.
 *
 * @param said what the agent registered; anything, also nothing
 * @param name, description of the workspace, where the agent itself says none
 * @param address where the front door takes messages to it
 * @param locked whether these need a credential
 */
record ShownCard(JsonNode said, String name, String description, String address, boolean locked) {

    private static final String TRANSPORT = "JSONRPC";
    private static final String REST = "HTTP+JSON";
    private static final String SCHEME = "bearer";
    private static final List<String> IN_BOTH = List.of("provider", "documentationUrl", "iconUrl");
    private static final List<String> SKILL_LISTS = List.of("tags", "examples", "inputModes", "outputModes");

    ObjectNode in(CardVersion version) {
        var card = Json.object();
        if (version != CardVersion.V1_0) {
            card.put("protocolVersion", "0.3.0");
        }
        card.put("name", text(said, "name", name)).put("description", text(said, "description", description));
        if (version != CardVersion.V1_0) {
            card.put("url", address).put("preferredTransport", TRANSPORT);
        }
        if (version != CardVersion.V0_3) {
            card.set("supportedInterfaces", interfaces());
        }
        card.put("version", text(said, "version", "0"));
        for (String member : IN_BOTH) {
            if (said.hasNonNull(member)) {
                card.set(member, said.get(member));
            }
        }
        card.set("capabilities", capabilities(version));
        card.set("defaultInputModes", modes("defaultInputModes"));
        card.set("defaultOutputModes", modes("defaultOutputModes"));
        card.set("skills", skills());
        if (locked) {
            lock(card, version);
        }
        return card;
    }

    /** Of every agent, whatever it speaks itself: the platform tells one version in the other. What the agent has is named first. */
    private ArrayNode interfaces() {
        var all = Json.MAPPER.createArrayNode();
        var in03 = at(TRANSPORT, "0.3");
        return speaksOnly03()
                ? all.add(in03).add(at(TRANSPORT, "1.0")).add(at(REST, "1.0"))
                : all.add(at(TRANSPORT, "1.0")).add(at(REST, "1.0")).add(in03);
    }

    private ObjectNode at(String binding, String version) {
        return Json.object().put("url", address).put("protocolBinding", binding).put("protocolVersion", version);
    }

    private boolean speaksOnly03() {
        for (var offered : said.path("supportedInterfaces")) {
            String version = offered.path("protocolVersion").asText();
            if (version.equals("1.0") || version.startsWith("1.0.")) {
                return false;
            }
        }
        return true;
    }

    private ObjectNode capabilities(CardVersion version) {
        var its = said.path("capabilities"); // push notifications are the platform's, whatever the agent can
        var shown = Json.object()
                .put("streaming", its.path("streaming").asBoolean())
                .put("pushNotifications", true);
        if (version != CardVersion.V1_0 && its.path("stateTransitionHistory").isBoolean()) {
            shown.set("stateTransitionHistory", its.get("stateTransitionHistory"));
        }
        if (its.path("extensions").isArray()) {
            shown.set("extensions", its.get("extensions"));
        }
        return shown;
    }

    private JsonNode modes(String member) {
        var modes = said.path(member);
        return modes.isArray() && !modes.isEmpty()
                ? modes
                : Json.MAPPER.createArrayNode().add("text/plain");
    }

    /** With what either version requires of one; what is no object is left out. */
    private ArrayNode skills() {
        var all = Json.MAPPER.createArrayNode();
        for (var skill : said.path("skills")) {
            if (!skill.isObject()) {
                continue;
            }
            String called = text(skill, "name", text(skill, "id", "skill"));
            var shown = all.addObject()
                    .put("id", text(skill, "id", called))
                    .put("name", called)
                    .put("description", text(skill, "description", ""));
            shown.putArray("tags");
            for (String list : SKILL_LISTS) {
                if (skill.path(list).isArray()) {
                    shown.set(list, skill.get(list));
                }
            }
        }
        return all;
    }

    private static void lock(ObjectNode card, CardVersion version) {
        var scheme = card.putObject("securitySchemes").putObject(SCHEME);
        if (version == CardVersion.V1_0) {
            scheme.putObject("httpAuthSecurityScheme").put("scheme", SCHEME);
            card.putArray("securityRequirements")
                    .addObject()
                    .putObject("schemes")
                    .putObject(SCHEME)
                    .putArray("list");
        } else {
            scheme.put("type", "http").put("scheme", SCHEME);
            card.putArray("security").addObject().putArray(SCHEME);
        }
    }

    private static String text(JsonNode node, String member, String otherwise) {
        var found = node.path(member);
        return found.isTextual() && !found.textValue().isBlank() ? found.textValue() : otherwise;
    }
}
