package ai.molecule.runtime.tools;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.stream.StreamSupport;

/** {@code docs/tools.md}, made from the table. */
final class ToolDocs {

    private ToolDocs() {}

    static String page() {
        var page = new StringBuilder("""
                # Tools

                What an agent's model can do. This page is made from `tools/Tools`; a test compares them.
                `molecule mcp` offers the same tools to any MCP client, the platform all that need no files or inbox of this machine
                (docs/wire/proxy.md, MCP).
                """);
        for (Section section : Section.OF_THE_PLATFORM) {
            page.append("\n## ").append(section.heading()).append('\n');
            Tools.in(section).forEach(tool -> append(page, tool));
        }
        return page.toString();
    }

    private static void append(StringBuilder page, ToolSpec tool) {
        page.append("\n### ")
                .append(tool.name())
                .append("\n\n")
                .append(tool.brief())
                .append("\n\n");
        page.append(tool.whenToUse()).append('\n');
        JsonNode schema = tool.inputSchema();
        if (schema.path("properties").isEmpty()) {
            return;
        }
        page.append("\n| Argument | Type | Meaning |\n|---|---|---|\n");
        for (Map.Entry<String, JsonNode> property : schema.path("properties").properties()) {
            page.append("| `%s`%s | %s | %s |\n"
                    .formatted(
                            property.getKey(),
                            isRequired(schema, property.getKey()) ? ", required" : "",
                            property.getValue().path("type").asText(),
                            property.getValue().path("description").asText()));
        }
    }

    private static boolean isRequired(JsonNode schema, String name) {
        return StreamSupport.stream(schema.path("required").spliterator(), false)
                .anyMatch(each -> each.asText().equals(name));
    }
}
