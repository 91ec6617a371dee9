package ai.molecule.runtime.tools;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** Builds the JSON Schema of a tool's arguments. */
public final class Schema {

    private static final List<String> OPENING =
            List.of("patternProperties", "allOf", "anyOf", "oneOf", "$ref", "if", "dependentSchemas");

    private final ObjectNode json = JsonNodeFactory.instance.objectNode().put("type", "object");
    private final ObjectNode properties = json.putObject("properties");

    public ObjectNode json() {
        return json;
    }

    public Schema required(String name, String description) {
        property(name, "string", description);
        json.withArray("required").add(name);
        return this;
    }

    public Schema optional(String name, String description) {
        property(name, "string", description);
        return this;
    }

    public Schema optional(String name, String type, String description) {
        property(name, type, description);
        return this;
    }

    public Schema oneOf(String name, String description, String... values) {
        var choices = property(name, "string", description).putArray("enum");
        for (String value : values) {
            choices.add(value);
        }
        return this;
    }

    public Schema texts(String name, String description) {
        property(name, "array", description).putObject("items").put("type", "string");
        return this;
    }

    /** Which of its workspaces a process of several speaks for. */
    Schema source() {
        return optional(
                "source_workspace_id",
                "Which of your workspaces to act as. Leave it out when you have one, or when list_peers has shown the peer.");
    }

    /**
     * Whether an object has the named properties and no others. One of another program that allows any in words of its own, or combines
     * schemas, is open.
     */
    static boolean isClosed(JsonNode schema) {
        return schema.has("properties")
                && OPENING.stream().noneMatch(schema::has)
                && (!schema.has("additionalProperties")
                        || schema.path("additionalProperties").equals(BooleanNode.FALSE));
    }

    private ObjectNode property(String name, String type, String description) {
        return properties.putObject(name).put("type", type).put("description", description);
    }
}
