package ai.molecule.common.workspaces;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** The addresses in what agents say of themselves, as others may read it. */
public final class CardAddresses {

    /** Where A2A 0.3 and 1.0 list further addresses. */
    private static final List<String> INTERFACES = List.of("additionalInterfaces", "supportedInterfaces");

    private CardAddresses() {}

    /**
     * The card with {@code address} in place of every address of the agent's own; the card itself where it names none. Never changes what it
     * was given.
     *
     * @param address empty where nobody knows one
     */
    public static JsonNode at(JsonNode card, String address) {
        if (!(card instanceof ObjectNode whole) || !namesAnAddress(whole)) {
            return card;
        }
        var shown = whole.deepCopy();
        replace(shown, address);
        INTERFACES.forEach(list -> shown.path(list).forEach(one -> replace(one, address)));
        return shown;
    }

    private static boolean namesAnAddress(ObjectNode card) {
        return card.has("url") || INTERFACES.stream().anyMatch(card::has);
    }

    private static void replace(JsonNode described, String address) {
        if (described instanceof ObjectNode object && object.has("url")) {
            object.put("url", address);
        }
    }
}
