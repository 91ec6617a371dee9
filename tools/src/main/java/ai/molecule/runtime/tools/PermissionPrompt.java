package ai.molecule.runtime.tools;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;

/** How {@code claude} asks whether it may use a tool of its own, {@code --permission-prompt-tool}: a person decides. */
public final class PermissionPrompt {

    /** In the environment of a program that asks so. */
    public static final String VARIABLE = "MOLECULE_PERMISSION_PROMPT";

    public static final ToolSpec TOOL = new ToolSpec(
            "permission_prompt",
            "Not for you: asks a person whether a tool may be used.",
            "",
            new Schema()
                    .required("tool_name", "The tool.")
                    .optional("input", "object", "What it is given.")
                    .optional("tool_use_id", "The call.")
                    .json(),
            PermissionPrompt::decide,
            Section.OWN,
            false);

    private static final int SHOWN_MAX_CHARS = 2_000;

    private PermissionPrompt() {}

    private static String decide(Toolbox toolbox, Arguments arguments) {
        JsonNode input = arguments.json().path("input");
        String shown = SecretFilter.redact(Excerpt.of(shown(input), SHOWN_MAX_CHARS));
        String action = "Use " + arguments.text("tool_name") + ": " + shown;
        var decision = Approving.decision(toolbox, action, "", JsonNodeFactory.instance.objectNode());
        var answer = JsonNodeFactory.instance.objectNode();
        if (decision.approved()) {
            answer.put("behavior", "allow")
                    .set("updatedInput", input.isObject() ? input : JsonNodeFactory.instance.objectNode());
        } else {
            answer.put("behavior", "deny").put("message", "denied by " + decision.by() + ": do not do it");
        }
        return answer.toString();
    }

    /** A command by itself is easier to read. */
    private static String shown(JsonNode input) {
        return input.path("command").isTextual() ? input.path("command").textValue() : input.toString();
    }
}
