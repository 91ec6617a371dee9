package ai.molecule.registry.deciders;

import ai.molecule.common.json.Json;
import ai.molecule.registry.policy.CallFacts.Party;
import ai.molecule.registry.policy.PolicyLanguage.Type;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What rules are told of an approval that is asked for. Every name is there for each, empty where there is nothing.
 *
 * @param context as the agent said it; a tool that asks first says {@code {"tool", "arguments"}}
 * @param caller the agent
 */
record AskedFacts(String action, String reason, @Nullable ObjectNode context, Party caller) {

    /** Of everything a rule may name, its type. */
    static final Map<String, Type> NAMES = Map.ofEntries(
            Map.entry("action", Type.TEXT),
            Map.entry("reason", Type.TEXT),
            Map.entry("tool", Type.TEXT),
            Map.entry("arguments", Type.MEMBERS),
            Map.entry("context", Type.MEMBERS),
            Map.entry("caller.id", Type.TEXT),
            Map.entry("caller.name", Type.TEXT),
            Map.entry("caller.role", Type.TEXT),
            Map.entry("caller.runtime", Type.TEXT),
            Map.entry("caller.tenant", Type.TEXT),
            Map.entry("caller.tier", Type.NUMBER));

    /** As a program takes them. */
    Map<String, Object> toMap() {
        JsonNode said = context == null ? Json.object() : context;
        Map<String, Object> facts = new HashMap<>();
        caller.tell("caller", facts);
        facts.put("action", action);
        facts.put("reason", reason);
        facts.put("tool", said.path("tool").asText(""));
        facts.put("arguments", members(said.path("arguments")));
        facts.put("context", members(said));
        return facts;
    }

    /** None of what is no object. What is null is left out, so that nothing has to be said of it. */
    private static Map<String, Object> members(JsonNode object) {
        Map<String, Object> members = new HashMap<>();
        object.properties().forEach(member -> {
            if (!member.getValue().isNull()) {
                members.put(member.getKey(), value(member.getValue()));
            }
        });
        return members;
    }

    private static Object value(JsonNode json) {
        if (json.isObject()) {
            return members(json);
        }
        if (json.isArray()) {
            List<Object> elements = new ArrayList<>();
            json.forEach(element -> {
                if (!element.isNull()) {
                    elements.add(value(element));
                }
            });
            return elements;
        }
        if (json.isBoolean()) {
            return json.booleanValue();
        }
        if (json.isNumber()) {
            if (json.isIntegralNumber() && json.canConvertToLong()) {
                return json.longValue();
            }
            return json.doubleValue();
        }
        return json.asText();
    }
}
