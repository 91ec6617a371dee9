package ai.molecule.provisioner.organisations;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import com.networknt.schema.ValidationMessage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/** The JSON Schema of an {@code org.yaml}, the same that editors use: {@code organisations/org.schema.json} among the resources. */
final class OrgSchema {

    private static final String RESOURCE = "/organisations/org.schema.json";
    private static final JsonSchema SCHEMA = load();

    private OrgSchema() {}

    /** One sentence per problem, in the order of the document; empty when there is none. */
    static List<String> problemsOf(JsonNode organisation) {
        return SCHEMA.validate(organisation).stream()
                .map(ValidationMessage::getMessage)
                .distinct()
                .toList();
    }

    /** Members that mean nothing, as paths: a typing error, or something another platform knows. At most {@code max}. */
    static List<String> unknownIn(JsonNode organisation, int max) {
        List<String> unknown = new ArrayList<>();
        collect(organisation, SCHEMA.getSchemaNode(), "$", unknown);
        return unknown.stream().limit(max).toList();
    }

    private static void collect(JsonNode node, JsonNode schema, String path, List<String> unknown) {
        var resolved = schema.has("$ref") ? definition(schema.path("$ref").asText()) : schema;
        var members = resolved.path("properties");
        if (node.isObject() && members.isObject()) {
            node.properties().forEach(member -> {
                if (members.has(member.getKey())) {
                    collect(member.getValue(), members.path(member.getKey()), path + "." + member.getKey(), unknown);
                } else {
                    unknown.add(path + "." + member.getKey());
                }
            });
        }
        for (int i = 0; node.isArray() && resolved.has("items") && i < node.size(); i++) {
            collect(node.get(i), resolved.path("items"), "%s[%d]".formatted(path, i), unknown);
        }
    }

    private static JsonNode definition(String reference) {
        return SCHEMA.getSchemaNode().at(reference.substring(1));
    }

    private static JsonSchema load() {
        try (var schema = OrgSchema.class.getResourceAsStream(RESOURCE)) {
            if (schema == null) {
                throw new IllegalStateException(RESOURCE + " is missing");
            }
            return JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
                    .getSchema(schema);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
