package ai.molecule.runtime.tools;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;

/**
 * A tool that a person approves call by call. They see the arguments themselves, whole, and what runs is what they saw: the call stands in the
 * task's journal from before it was asked for. It runs at most once, whatever happens to the agent meanwhile.
 */
public final class AskedFirst {

    /** Of a call's arguments: a person is to read them, and all who look get them in one event (16,000 characters). */
    static final int ARGUMENTS_MAX_CHARS = 12_000;

    private static final int QUOTED_MAX_CHARS = 160;
    private static final int NAME_MAX_CHARS = 80;

    /** Noted instead of the approval's id, before the tool runs. */
    private static final String BEGUN = "begun";

    private AskedFirst() {}

    public static ToolSpec of(ToolSpec tool) {
        return new ToolSpec(
                tool.name(),
                tool.brief(),
                tool.whenToUse(),
                tool.inputSchema(),
                (toolbox, arguments) -> run(tool, toolbox, arguments),
                tool.section(),
                tool.handsOn());
    }

    /** Whether a call with this note waits, or waited, for a person, and has not begun. */
    public static boolean isOnlyAsked(String note) {
        return !note.equals(BEGUN);
    }

    private static String run(ToolSpec tool, Toolbox toolbox, Arguments arguments) throws InterruptedException {
        refuseUnknown(tool.inputSchema(), arguments.json());
        if (arguments.json().toString().length() > ARGUMENTS_MAX_CHARS) {
            throw new ToolRefusal("a person approves this, and is to read all of it: at most " + ARGUMENTS_MAX_CHARS
                    + " characters. Do it in smaller steps");
        }
        ObjectNode context = JsonNodeFactory.instance.objectNode().put("tool", tool.name());
        context.set("arguments", arguments.json());
        var decision = Approving.decision(toolbox, action(tool, arguments.json()), "", context);
        if (!decision.approved()) {
            return "Error: denied by " + decision.by() + ": it was not done; do not do it another way either";
        }
        if (!toolbox.call().orElseThrow(Approving::notHere).note(BEGUN)) {
            throw Approving.notHere();
        }
        return tool.implementation().run(toolbox, arguments);
    }

    /** What the tool would ignore could say to a person what the call does not do. */
    private static void refuseUnknown(JsonNode schema, JsonNode arguments) {
        if (!Schema.isClosed(schema)) {
            return;
        }
        JsonNode known = schema.path("properties");
        for (var names = arguments.fieldNames(); names.hasNext(); ) {
            String name = names.next();
            if (!known.has(name)) {
                throw new ToolRefusal("no argument is called " + Excerpt.of(name, NAME_MAX_CHARS) + ". There "
                        + (known.isEmpty() ? "are none" : "is " + String.join(", ", fieldNames(known)))
                        + "; nobody was asked, and nothing was done");
            }
        }
    }

    private static List<String> fieldNames(JsonNode object) {
        List<String> names = new ArrayList<>();
        object.fieldNames().forEachRemaining(names::add);
        return names;
    }

    /**
     * The tool and the argument that its schema requires first, on one line: {@code run ./check}. The order in which a model wrote its
     * arguments decides nothing.
     */
    private static String action(ToolSpec tool, JsonNode arguments) {
        JsonNode value =
                arguments.path(tool.inputSchema().path("required").path(0).asText());
        if (value.isMissingNode()) {
            return tool.name();
        }
        String words = (value.isTextual() ? value.textValue() : value.toString())
                .strip()
                .replaceAll("\\s+", " ");
        return tool.name() + " "
                + (words.length() > QUOTED_MAX_CHARS ? words.substring(0, QUOTED_MAX_CHARS) + "…" : words);
    }
}
