package ai.molecule.runtime.tools;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.regex.Pattern;

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

    /** From there to its end nothing would be shown, whatever it is. */
    private static final Pattern PRIVATE_KEY = Pattern.compile("-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----");

    private PermissionPrompt() {}

    private static String decide(Toolbox toolbox, Arguments arguments) {
        JsonNode input = arguments.json().path("input");
        if (input.toString().length() > AskedFirst.ARGUMENTS_MAX_CHARS) {
            return denied("a person approves this, and is to read all of it: at most " + AskedFirst.ARGUMENTS_MAX_CHARS
                    + " characters. Do it in smaller steps");
        }
        if (PRIVATE_KEY.matcher(input.toString()).find()) {
            return denied(
                    "a person approves this, and is to read all of it, but what stands behind the beginning of a private key is"
                            + " not shown. Read the key from a file");
        }
        String tool = arguments.text("tool_name");
        String shown = SecretFilter.redact(Excerpt.of(shown(input), SHOWN_MAX_CHARS));
        String action = "Use " + tool + ": " + shown;
        ObjectNode context = JsonNodeFactory.instance.objectNode().put("tool", tool);
        context.set("arguments", redacted(input));
        try {
            var decision = Approving.decision(toolbox, action, "", context);
            if (!decision.approved()) {
                return denied("denied by " + decision.by() + ": do not do it");
            }
        } catch (ToolRefusal refused) { // in the words that the program understands
            return denied(String.valueOf(refused.getMessage()));
        }
        var answer = JsonNodeFactory.instance.objectNode().put("behavior", "allow");
        answer.set("updatedInput", input.isObject() ? input : JsonNodeFactory.instance.objectNode());
        return answer.toString();
    }

    private static String denied(String why) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("behavior", "deny")
                .put("message", why)
                .toString();
    }

    /** The same, its texts without what looks like a secret. */
    private static JsonNode redacted(JsonNode input) {
        if (input.isTextual()) {
            return TextNode.valueOf(SecretFilter.redact(input.textValue()));
        }
        if (input.isArray()) {
            var items = JsonNodeFactory.instance.arrayNode();
            input.forEach(item -> items.add(redacted(item)));
            return items;
        }
        if (input.isObject()) {
            var members = JsonNodeFactory.instance.objectNode();
            input.properties().forEach(member -> members.set(member.getKey(), redacted(member.getValue())));
            return members;
        }
        return input;
    }

    /** A command by itself is easier to read. */
    private static String shown(JsonNode input) {
        return input.path("command").isTextual() ? input.path("command").textValue() : input.toString();
    }
}
