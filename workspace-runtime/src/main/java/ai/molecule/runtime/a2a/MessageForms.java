package ai.molecule.runtime.a2a;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/**
 * A message in the words of either version. Kept is the form of 0.3; what only 1.0 can say, {@code filename} and {@code mediaType} of words
 * and data that are no object, stands beside in it, so that nothing is lost on the way through.
 */
final class MessageForms {

    private static final List<String> IN_BOTH = List.of("metadata", "extensions", "referenceTaskIds");
    private static final List<String> BESIDE = List.of("filename", "mediaType");
    private static final String NO_OBJECT = "data_part_compat";
    private static final String VALUE = "value";

    private MessageForms() {}

    /** Any message somebody sent in 0.3 or its older dialects; what 1.0 has no member for is left out, a part of no known kind becomes data. */
    static ObjectNode to10(JsonNode message) {
        ObjectNode json =
                Json.object().put("messageId", message.path("messageId").asText());
        for (String id : List.of("contextId", "taskId")) {
            if (message.path(id).isTextual()) {
                json.set(id, message.get(id));
            }
        }
        json.put("role", "agent".equals(message.path("role").asText()) ? "ROLE_AGENT" : "ROLE_USER");
        ArrayNode parts = json.putArray("parts");
        message.path("parts").forEach(part -> parts.add(partTo10(part.has("root") ? part.get("root") : part)));
        copyObject(message, json, "metadata");
        for (String list : List.of("extensions", "referenceTaskIds")) {
            if (message.path(list).isArray() && !message.path(list).isEmpty()) {
                json.set(list, message.get(list));
            }
        }
        return json;
    }

    /** A message that {@link MessageParams10} found in order. */
    static ObjectNode to03(JsonNode message) {
        ObjectNode json = Json.object().put("kind", "message").put("role", roleTo03(message.path("role")));
        json.set("messageId", message.get("messageId"));
        for (String id : List.of("contextId", "taskId")) {
            if (!message.path(id).asText("").isEmpty()) {
                json.set(id, message.get(id));
            }
        }
        ArrayNode parts = json.putArray("parts");
        message.path("parts").forEach(part -> parts.add(partTo03(part)));
        for (String member : IN_BOTH) {
            if (message.hasNonNull(member)) {
                json.set(member, message.get(member));
            }
        }
        return json;
    }

    static boolean isAgent(JsonNode role) {
        return role.asText().equals("ROLE_AGENT") || role.asText().equals("2");
    }

    static boolean isUser(JsonNode role) {
        return role.asText().equals("ROLE_USER") || role.asText().equals("1");
    }

    private static String roleTo03(JsonNode role) {
        return isAgent(role) ? "agent" : "user";
    }

    private static ObjectNode partTo10(JsonNode part) {
        ObjectNode json = Json.object();
        JsonNode file = part.path("file");
        JsonNode metadata = part.path("metadata");
        if (part.path("text").isTextual()) {
            json.set("text", part.get("text"));
        } else if (file.path("uri").isTextual()) {
            json.set("url", file.get("uri"));
        } else if (file.path("bytes").isTextual()) {
            json.set("raw", file.get("bytes"));
        } else if (part.has("data")) {
            boolean wrapped = metadata.path(NO_OBJECT).asBoolean();
            json.set("data", wrapped ? part.get("data").path(VALUE) : part.get("data"));
        } else {
            json.set("data", part);
            return json;
        }
        copyText(file, "name", json, "filename");
        copyText(file, "mimeType", json, "mediaType");
        for (String member : BESIDE) {
            copyText(part, member, json, member);
        }
        copyObject(part, json, "metadata");
        if (json.path("metadata").path(NO_OBJECT).asBoolean()) {
            ObjectNode others = json.get("metadata").deepCopy();
            others.remove(NO_OBJECT);
            json.remove("metadata");
            copyObject(Json.object().set("metadata", others), json, "metadata");
        }
        return json;
    }

    private static ObjectNode partTo03(JsonNode part) {
        ObjectNode json = Json.object();
        if (part.hasNonNull("text")) {
            json.put("kind", "text").set("text", part.get("text"));
            besideIn(part, json);
        } else if (part.hasNonNull("url") || part.hasNonNull("raw")) {
            ObjectNode file = json.put("kind", "file").putObject("file");
            boolean linked = part.hasNonNull("url");
            file.set(linked ? "uri" : "bytes", part.get(linked ? "url" : "raw"));
            copyText(part, "filename", file, "name");
            copyText(part, "mediaType", file, "mimeType");
        } else {
            JsonNode data = part.path("data");
            boolean wrapped = !data.isObject();
            json.put("kind", "data").set("data", wrapped ? Json.object().set(VALUE, data) : data);
            besideIn(part, json);
            if (wrapped) {
                json.putObject("metadata").put(NO_OBJECT, true);
            }
        }
        if (part.path("metadata").isObject()) {
            json.withObjectProperty("metadata").setAll((ObjectNode) part.get("metadata"));
        }
        return json;
    }

    private static void besideIn(JsonNode part, ObjectNode json) {
        for (String member : BESIDE) {
            copyText(part, member, json, member);
        }
    }

    private static void copyText(JsonNode from, String name, ObjectNode to, String as) {
        if (!from.path(name).asText("").isEmpty()) {
            to.set(as, from.get(name));
        }
    }

    /** Empty says nothing. */
    private static void copyObject(JsonNode from, ObjectNode to, String name) {
        if (from.path(name).isObject() && !from.path(name).isEmpty()) {
            to.set(name, from.get(name));
        }
    }
}
