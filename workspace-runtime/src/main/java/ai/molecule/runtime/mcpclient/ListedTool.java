package ai.molecule.runtime.mcpclient;

import ai.molecule.runtime.tools.Excerpt;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A tool as its server lists it, within what a model may be shown.
 *
 * @param description its first {@value #DESCRIPTION_MAX_CHARS} characters
 * @param schema of its arguments, as the server wrote it
 */
record ListedTool(String name, String description, ObjectNode schema) {

    static final int SCHEMA_MAX_CHARS = 16 * 1024;
    private static final int DESCRIPTION_MAX_CHARS = 1024;
    private static final String OLDER = "#/definitions/";

    /** What models' endpoints take together with the server's name and {@code __}. */
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,40}");

    /** @throws McpFailure saying what is wrong with it */
    static ListedTool of(JsonNode listed) {
        String name = listed.path("name").asText("");
        if (!NAME.matcher(name).matches()) {
            throw wrong("its name is none: " + Excerpt.of(name, 60));
        }
        JsonNode schema = listed.path("inputSchema");
        if (!(schema instanceof ObjectNode object)
                || !schema.path("type").asText().equals("object")) {
            throw wrong(name + " has no schema of an object");
        }
        if (schema.toString().length() > SCHEMA_MAX_CHARS) {
            throw wrong(name + " has a schema of more than 16 KiB");
        }
        SchemaFault.of(schema).ifPresent(fault -> {
            throw wrong(name + " has a schema that " + fault);
        });
        return new ListedTool(
                name, Excerpt.of(listed.path("description").asText("").strip(), DESCRIPTION_MAX_CHARS), today(object));
    }

    /** {@code definitions} of older drafts are {@code $defs} now, and models' endpoints are told of those alone. */
    private static ObjectNode today(ObjectNode schema) {
        if (!schema.path("definitions").isObject() || schema.has("$defs")) {
            return schema;
        }
        ObjectNode renamed = schema.deepCopy();
        renamed.set("$defs", renamed.remove("definitions"));
        renamed.findParents("$ref").forEach(each -> {
            String to = each.path("$ref").asText();
            if (to.startsWith(OLDER)) {
                ((ObjectNode) each).put("$ref", "#/$defs/" + to.substring(OLDER.length()));
            }
        });
        return renamed;
    }

    /** Of the arguments it must be given, those that are not there. */
    List<String> missingFrom(JsonNode arguments) {
        List<String> missing = new ArrayList<>();
        for (JsonNode required : schema.path("required")) {
            if (!arguments.has(required.asText())) {
                missing.add(required.asText());
            }
        }
        return missing;
    }

    private static McpFailure wrong(String what) {
        return new McpFailure(McpFailure.Kind.REFUSED, what);
    }
}
