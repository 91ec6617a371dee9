package ai.molecule.registry.cards;

import ai.molecule.common.json.Json;
import ai.molecule.registry.canonical.Canonical;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An agent's card as the front door shows it: what the agent says it can, at the platform's address, with all members that the
 * version requires and none that it does not know. No member is empty or says what it means when it is not there: of such a card everybody
 * who checks its signature reads the same text. The agent's own signatures are of another text and stand, with that, in an extension.
 *
 * @param said what the agent registered; anything, also nothing
 * @param ownName whether the name that it says may be its own
 * @param name, description of the workspace, where the agent itself says none
 * @param address where the front door takes messages to it
 * @param locked whether these need a credential
 * @param whole whether the reader may see the agent's own address, so also the card that it signed
 */
record ShownCard(
        JsonNode said,
        boolean ownName,
        String name,
        String description,
        String address,
        boolean locked,
        boolean whole) {

    /** The extension that holds what the agent signed. */
    static final String ORIGIN = "urn:molecule:a2a:origin-card";

    private static final String TRANSPORT = "JSONRPC";
    private static final String REST = "HTTP+JSON";
    private static final String SCHEME = "bearer";

    /** What the bearer has to be good for. Named because libraries read a list without a member as none, and then sign another text. */
    private static final String SCOPE = "messages";

    private static final String SIGNATURES = "signatures";
    private static final List<String> LINKS = List.of("documentationUrl", "iconUrl");
    private static final List<String> PROVIDER = List.of("organization", "url");
    private static final List<String> SKILL_LISTS = List.of("examples", "inputModes", "outputModes");

    ObjectNode in(CardVersion version) {
        var card = Json.object();
        if (version != CardVersion.V1_0) {
            card.put("protocolVersion", "0.3.0");
        }
        card.put("name", named()).put("description", described());
        if (version != CardVersion.V1_0) {
            card.put("url", address).put("preferredTransport", TRANSPORT);
        }
        if (version != CardVersion.V0_3) {
            card.set("supportedInterfaces", interfaces());
        }
        card.put("version", text(said, "version", "0"));
        setWhereSome(card, "provider", texts(said.path("provider"), PROVIDER));
        card.setAll(texts(said, LINKS));
        card.set("capabilities", capabilities(version));
        card.set("defaultInputModes", modes("defaultInputModes"));
        card.set("defaultOutputModes", modes("defaultOutputModes"));
        card.set("skills", skills());
        if (locked) {
            lock(card, version);
        }
        return card;
    }

    /**
     * What else than its whole text somebody reads in a card of {@code version}: nothing that is empty, and who speaks 1.0 alone no member of
     * 0.3 in one for both.
     *
     * @param card that of this version
     */
    List<ObjectNode> readings(ObjectNode card, CardVersion version) {
        var whole = Canonical.withoutEmpty(card);
        return version == CardVersion.BOTH
                ? List.of(
                        whole,
                        Canonical.withoutEmpty(
                                in(CardVersion.V1_0).without(List.of("securitySchemes", "securityRequirements"))))
                : List.of(whole);
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

    /** Streams and push notifications are the platform's, whatever the agent can. */
    private ObjectNode capabilities(CardVersion version) {
        var its = said.path("capabilities");
        var shown = Json.object().put("streaming", true).put("pushNotifications", true);
        if (version != CardVersion.V1_0 && its.path("stateTransitionHistory").asBoolean()) {
            shown.put("stateTransitionHistory", true);
        }
        setWhereSome(shown, "extensions", extensions(its.path("extensions")));
        return shown;
    }

    private ArrayNode extensions(JsonNode its) {
        var all = Json.MAPPER.createArrayNode();
        for (var extension : its) {
            String uri = text(extension, "uri", "");
            if (uri.isEmpty() || uri.equals(ORIGIN)) {
                continue;
            }
            var shown = all.addObject().put("uri", uri);
            shown.setAll(texts(extension, List.of("description")));
            if (extension.path("required").asBoolean()) {
                shown.put("required", true);
            }
            if (extension.path("params").isObject()) {
                setWhereSome(shown, "params", extension.get("params"));
            }
        }
        var origin = origin();
        if (origin != null) {
            all.add(origin);
        }
        return all;
    }

    /** As text, so that nobody who reads the card around it takes anything out of it; null where the agent signed nothing. */
    private @Nullable ObjectNode origin() {
        if (!said.path(SIGNATURES).isArray() || said.path(SIGNATURES).isEmpty()) {
            return null;
        }
        var extension = Json.object().put("uri", ORIGIN);
        if (!whole) { // nor a digest or the signature: both would tell whoever tries addresses that he found it
            return extension.put(
                    "description",
                    "The agent signed its card. That names the agent's own address and is shown to whoever may see it.");
        }
        extension
                .put("description", "The card that the agent signed, as it registered it.")
                .putObject("params")
                .put("card", Json.text(said));
        return extension;
    }

    private ArrayNode modes(String member) {
        var modes = texts(said.path(member));
        return modes.isEmpty() ? modes.add("text/plain") : modes;
    }

    /** With what either version requires of one; what is no object is left out. Who names none has that of being talked to. */
    private ArrayNode skills() {
        var all = Json.MAPPER.createArrayNode();
        for (var skill : said.path("skills")) {
            if (!skill.isObject()) {
                continue;
            }
            String called = text(skill, "name", text(skill, "id", "skill"));
            String id = text(skill, "id", called);
            var shown = all.addObject()
                    .put("id", id)
                    .put("name", called)
                    .put("description", text(skill, "description", called));
            var tags = texts(skill.path("tags"));
            shown.set("tags", tags.isEmpty() ? tags.add(id) : tags);
            for (String list : SKILL_LISTS) {
                setWhereSome(shown, list, texts(skill.path(list)));
            }
        }
        if (all.isEmpty()) {
            all.addObject()
                    .put("id", "talk")
                    .put("name", named())
                    .put("description", described())
                    .putArray("tags")
                    .add("talk");
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
                    .putArray("list")
                    .add(SCOPE);
        } else {
            scheme.put("type", "http").put("scheme", SCHEME);
            card.putArray("security").addObject().putArray(SCHEME);
        }
    }

    private String named() {
        return ownName ? text(said, "name", name) : name;
    }

    private String described() {
        return text(said, "description", description.isBlank() ? named() : description);
    }

    private static void setWhereSome(ObjectNode node, String member, JsonNode value) {
        if (!value.isEmpty()) {
            node.set(member, value);
        }
    }

    private static ObjectNode texts(JsonNode node, List<String> members) {
        var found = Json.object();
        for (String member : members) {
            String text = text(node, member, "");
            if (!text.isEmpty()) {
                found.put(member, text);
            }
        }
        return found;
    }

    private static ArrayNode texts(JsonNode list) {
        var found = Json.MAPPER.createArrayNode();
        if (list.isArray()) {
            for (var element : list) {
                if (element.isTextual() && !element.textValue().isBlank()) {
                    found.add(element.textValue());
                }
            }
        }
        return found;
    }

    private static String text(JsonNode node, String member, String otherwise) {
        var found = node.path(member);
        return found.isTextual() && !found.textValue().isBlank() ? found.textValue() : otherwise;
    }
}
