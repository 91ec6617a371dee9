package ai.molecule.proxy.bridge;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What can be said in both versions, told in one of them. Messages, tasks and events have the same members in both, and are walked here; what
 * differs, roles, states, parts, and what is around them, is the version's. Members without a name in either stay as they are. Every method fails
 * with {@link NotCarriedOver}.
 */
abstract sealed class Wording permits Wording03, Wording10 {

    /** What 1.0 calls the state that 0.3 does not know. */
    static final String NO_STATE = "TASK_STATE_UNSPECIFIED";

    /** As {@code kind} names them in 0.3, and the one member of a result in 1.0. */
    enum Kind {
        TASK("task", "task"),
        MESSAGE("message", "message"),
        STATUS("status-update", "statusUpdate"),
        ARTIFACT("artifact-update", "artifactUpdate");

        private final String in03;
        private final String in10;

        Kind(String in03, String in10) {
            this.in03 = in03;
            this.in10 = in10;
        }

        String in03() {
            return in03;
        }

        String in10() {
            return in10;
        }
    }

    /** An object of that kind, empty but for what says so. */
    abstract ObjectNode begun(Kind kind);

    abstract String role(JsonNode role, String at);

    abstract String state(JsonNode state, String at);

    abstract ObjectNode part(JsonNode part, String at);

    /** What is told where a task or message stands that is answered, or an event. */
    abstract JsonNode result(JsonNode result);

    abstract ObjectNode error(JsonNode error);

    final ObjectNode message(JsonNode message, String at) {
        ObjectNode told = begun(Kind.MESSAGE);
        for (var member : objectAt(message, at).properties()) {
            JsonNode value = member.getValue();
            switch (member.getKey()) {
                case "kind" -> {}
                case "role" -> told.put("role", role(value, at + ".role"));
                case "parts" -> told.set("parts", list(value, at + ".parts", this::part));
                case "contextId", "taskId" -> putUnlessEmpty(told, member.getKey(), value);
                default -> put(told, member.getKey(), value);
            }
        }
        return told;
    }

    final ObjectNode task(JsonNode task, String at) {
        ObjectNode told = begun(Kind.TASK);
        for (var member : objectAt(task, at).properties()) {
            JsonNode value = member.getValue();
            switch (member.getKey()) {
                case "kind" -> {}
                case "status" -> told.set("status", status(value, at + ".status"));
                case "artifacts" -> told.set("artifacts", list(value, at + ".artifacts", this::artifact));
                case "history" -> told.set("history", list(value, at + ".history", this::message));
                case "contextId" -> putUnlessEmpty(told, "contextId", value);
                default -> put(told, member.getKey(), value);
            }
        }
        return told;
    }

    final ObjectNode status(JsonNode status, String at) {
        ObjectNode told = Json.object();
        for (var member : objectAt(status, at).properties()) {
            JsonNode value = member.getValue();
            switch (member.getKey()) {
                case "state" -> told.put("state", state(value, at + ".state"));
                case "message" -> {
                    if (!value.isNull()) {
                        told.set("message", message(value, at + ".message"));
                    }
                }
                default -> put(told, member.getKey(), value);
            }
        }
        return told;
    }

    /** What an update says; whether it is the last is the version's to add. */
    final ObjectNode update(Kind kind, JsonNode update, String at) {
        ObjectNode told = begun(kind);
        for (var member : objectAt(update, at).properties()) {
            JsonNode value = member.getValue();
            switch (member.getKey()) {
                case "kind", "final" -> {}
                case "status" -> told.set("status", status(value, at + ".status"));
                case "artifact" -> told.set("artifact", artifact(value, at + ".artifact"));
                case "contextId" -> putUnlessEmpty(told, "contextId", value);
                default -> put(told, member.getKey(), value);
            }
        }
        return told;
    }

    private ObjectNode artifact(JsonNode artifact, String at) {
        ObjectNode told = Json.object();
        for (var member : objectAt(artifact, at).properties()) {
            if (member.getKey().equals("parts")) {
                told.set("parts", list(member.getValue(), at + ".parts", this::part));
            } else {
                put(told, member.getKey(), member.getValue());
            }
        }
        return told;
    }

    final ObjectNode toldOf(Kind kind, JsonNode content, String at) {
        return switch (kind) {
            case TASK -> task(content, at);
            case MESSAGE -> message(content, at);
            case STATUS, ARTIFACT -> update(kind, content, at);
        };
    }

    private interface Walk {
        ObjectNode tell(JsonNode element, String at);
    }

    private static ArrayNode list(JsonNode list, String at, Walk walk) {
        ArrayNode told = Json.MAPPER.createArrayNode();
        if (list.isNull()) {
            return told;
        }
        if (!list.isArray()) {
            throw NotCarriedOver.field(at, "must be a list");
        }
        for (int i = 0; i < list.size(); i++) {
            told.add(walk.tell(list.get(i), at + "[" + i + "]"));
        }
        return told;
    }

    static JsonNode objectAt(JsonNode node, String at) {
        if (!node.isObject()) {
            throw NotCarriedOver.field(at, "must be an object");
        }
        return node;
    }

    /** {@code null} is absent. */
    static void put(ObjectNode told, String name, JsonNode value) {
        if (!value.isNull()) {
            told.set(name, value);
        }
    }

    /** 1.0 writes what is not there as an empty text, too. */
    private static void putUnlessEmpty(ObjectNode told, String name, JsonNode value) {
        if (!value.isTextual() || !value.textValue().isEmpty()) {
            put(told, name, value);
        }
    }
}
