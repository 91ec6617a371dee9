package ai.molecule.runtime.langchain4j;

import ai.molecule.runtime.tools.ToolSpec;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.model.chat.request.json.JsonObjectSchema;
import dev.langchain4j.model.chat.request.json.JsonRawSchema;
import dev.langchain4j.model.chat.request.json.JsonSchemaElement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The table of tools as LangChain4j offers it to a model: the same names, the same words, the same schemas. */
final class OfferedTools {

    private OfferedTools() {}

    static List<ToolSpecification> of(List<ToolSpec> tools) {
        return tools.stream().map(OfferedTools::offered).toList();
    }

    private static ToolSpecification offered(ToolSpec tool) {
        return ToolSpecification.builder()
                .name(tool.name())
                .description(tool.brief())
                .parameters(schema(tool.inputSchema()))
                .build();
    }

    private static JsonObjectSchema schema(ObjectNode schema) {
        var parameters = JsonObjectSchema.builder();
        schema.path("properties")
                .properties()
                .forEach(property -> parameters.addProperty(
                        property.getKey(),
                        JsonRawSchema.from(property.getValue().toString())));
        List<String> required = new ArrayList<>();
        for (JsonNode name : schema.path("required")) {
            required.add(name.asText());
        }
        Map<String, JsonSchemaElement> named = new LinkedHashMap<>();
        schema.path("$defs")
                .properties()
                .forEach(each -> named.put(
                        each.getKey(), JsonRawSchema.from(each.getValue().toString())));
        return (named.isEmpty() ? parameters : parameters.definitions(named))
                .required(required)
                .build();
    }
}
