package ai.molecule.proxy.models.translation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a model is asked, in no protocol's words.
 *
 * @param system instructions, from all places where a protocol has some, in their order
 * @param turns no two in a row have the same role
 * @param choice which tools are to be called; null leaves it to the model
 * @param outputMax tokens; null when the caller does not say
 * @param temperature null for 1, which is the default of all three; so {@code topP}
 * @param tellsUsage whether the caller asked to see the usage of a stream that would not tell it otherwise
 */
public record NeutralRequest(
        String model,
        List<String> system,
        List<Turn> turns,
        List<Tool> tools,
        @Nullable Choice choice,
        boolean oneToolAtATime,
        @Nullable Long outputMax,
        @Nullable BigDecimal temperature,
        @Nullable BigDecimal topP,
        List<String> stops,
        @Nullable Format format,
        boolean streams,
        boolean tellsUsage) {

    enum Role {
        USER,
        ASSISTANT
    }

    /** What one side said until the other did. */
    record Turn(Role role, List<Part> parts) {}

    sealed interface Part {}

    record Text(String text) implements Part {}

    /** By its address, which may be a {@code data:} URL that holds it. */
    record Image(String url) implements Part {}

    /** @param arguments an object in JSON, as the model wrote it */
    record ToolCall(String id, String name, String arguments) implements Part {}

    /** What came of the call of that id. */
    record ToolResult(String id, List<Part> content) implements Part {}

    /** @param schema of its arguments; null when it takes none */
    record Tool(
            String name,
            @Nullable String description,
            @Nullable ObjectNode schema,
            boolean strict) {}

    /** @param name of the one tool that is to be called; null for any, or for none */
    record Choice(boolean calls, @Nullable String name) {

        static final Choice NONE = new Choice(false, null);
        static final Choice ANY = new Choice(true, null);
    }

    /**
     * JSON is wanted.
     *
     * @param schema what it is to look like; null for any object
     */
    record Format(String name, @Nullable ObjectNode schema, boolean strict) {}

    /** Puts what follows one another from the same side together. */
    static final class Conversation {
        private final List<Turn> turns = new ArrayList<>();
        private final List<Part> parts = new ArrayList<>();
        private Role role = Role.USER;

        void add(Role said, Part part) {
            if (said != role) {
                close();
                role = said;
            }
            if (!(part instanceof Text text && text.text.isEmpty())) {
                parts.add(part);
            }
        }

        List<Turn> turns() {
            close();
            return List.copyOf(turns);
        }

        private void close() {
            if (!parts.isEmpty()) {
                turns.add(new Turn(role, List.copyOf(parts)));
                parts.clear();
            }
        }
    }
}
