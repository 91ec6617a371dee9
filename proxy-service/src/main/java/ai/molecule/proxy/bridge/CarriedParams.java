package ai.molecule.proxy.bridge;

import ai.molecule.common.json.Json;
import ai.molecule.proxy.protocol.Protocol;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.UUID;

/** The parameters of a request, told in the agent's version. Fails with {@link NotCarriedOver}, so that nothing half-told reaches it. */
record CarriedParams(Wording wording, Protocol agent, UUID target) {

    ObjectNode told(CarriedMethod method, JsonNode params) {
        Wording.objectAt(params, "params");
        ObjectNode told = Json.object();
        if (method.sends()) {
            check(params.path("message"));
        } else {
            requireText(params, method == CarriedMethod.BY_MESSAGE ? "messageId" : "id");
        }
        for (var member : params.properties()) {
            JsonNode value = member.getValue();
            switch (member.getKey()) {
                case "message" -> told.set("message", method.sends() ? wording.message(value, "message") : value);
                case "configuration" -> told.set("configuration", configuration(value));
                case "tenant" -> tenant(value, told);
                case "historyLength" -> {
                    count(value, "historyLength");
                    Wording.put(told, "historyLength", value);
                }
                case "metadata" -> metadata(method, value, told);
                default -> Wording.put(told, member.getKey(), value);
            }
        }
        if (method == CarriedMethod.SEND && agent == Protocol.V0_3) {
            blocking(told, params.path("configuration").path("returnImmediately"));
        }
        return told;
    }

    /** What 1.0 requires, and 0.3 of a client that shows that it knows it. */
    private void check(JsonNode message) {
        Wording.objectAt(message, "message");
        for (String required : new String[] {"messageId", "role"}) {
            boolean number = required.equals("role") && message.path(required).isInt();
            if (!number && message.path(required).asText("").isEmpty()) {
                throw NotCarriedOver.field("message." + required, "is required");
            }
        }
        if (message.path("parts").isEmpty()) {
            throw NotCarriedOver.field("message.parts", "must be a list of at least one part");
        }
    }

    private static void requireText(JsonNode params, String name) {
        if (!params.path(name).isTextual() || params.path(name).textValue().isEmpty()) {
            throw NotCarriedOver.field(name, "is required");
        }
    }

    private static void count(JsonNode value, String at) {
        if (!value.isNull() && (!value.isInt() || value.intValue() < 0)) {
            throw NotCarriedOver.field(at, "must be a number from 0");
        }
    }

    /** What is asked about a task has no room for more in 1.0. */
    private void metadata(CarriedMethod method, JsonNode value, ObjectNode told) {
        boolean asks = method == CarriedMethod.GET || method == CarriedMethod.FOLLOW;
        if (asks && agent == Protocol.V1_0 && !value.isEmpty()) {
            throw NotCarriedOver.field("metadata", "has no place in " + method.in(agent) + " of A2A 1.0");
        }
        Wording.put(told, "metadata", value);
    }

    /** Says where a request of 1.0 goes; here it has come. */
    private void tenant(JsonNode value, ObjectNode told) {
        if (agent == Protocol.V1_0) {
            Wording.put(told, "tenant", value);
        } else if (!value.isNull()
                && !value.asText("?").isEmpty()
                && !value.asText().equals(target.toString())) {
            throw NotCarriedOver.field("tenant", "is not this agent's");
        }
    }

    private ObjectNode configuration(JsonNode configuration) {
        ObjectNode told = Json.object();
        if (configuration.isNull()) {
            return told;
        }
        for (var member : Wording.objectAt(configuration, "configuration").properties()) {
            JsonNode value = member.getValue();
            String at = "configuration." + member.getKey();
            switch (member.getKey()) {
                case "blocking" -> told.put("returnImmediately", !truth(value, at, true));
                case "returnImmediately" -> told.put("blocking", !truth(value, at, false));
                case "pushNotificationConfig", "taskPushNotificationConfig" -> {
                    if (!value.isNull()) {
                        throw NotCarriedOver.push(at);
                    }
                }
                case "historyLength" -> {
                    count(value, at);
                    Wording.put(told, "historyLength", value);
                }
                default -> Wording.put(told, member.getKey(), value);
            }
        }
        return told;
    }

    private static boolean truth(JsonNode value, String at, boolean otherwise) {
        if (!value.isNull() && !value.isBoolean()) {
            throw NotCarriedOver.field(at, "must be true or false");
        }
        return value.asBoolean(otherwise);
    }

    /** 0.3 does not say what it is where it is not said. */
    private static void blocking(ObjectNode told, JsonNode returnImmediately) {
        if (!returnImmediately.isBoolean()) {
            told.withObjectProperty("configuration").put("blocking", true);
        }
    }
}
