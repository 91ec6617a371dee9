package ai.molecule.runtime.tools;

import ai.molecule.sdk.PlatformException;
import ai.molecule.sdk.TraceContext;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.UncheckedIOException;
import java.time.Instant;

/**
 * One tool: how it is described to a model, and what it does.
 *
 * @param brief what it does, in a sentence
 * @param whenToUse when to reach for it, and what its answer means
 * @param inputSchema JSON Schema of the arguments
 * @param handsOn whether it gives others something to do
 */
public record ToolSpec(
        String name,
        String brief,
        String whenToUse,
        ObjectNode inputSchema,
        Action implementation,
        Section section,
        boolean handsOn) {

    /** What a tool does. Blocks; what it throws becomes text. */
    @FunctionalInterface
    public interface Action {
        String run(Toolbox toolbox, Arguments arguments) throws InterruptedException;
    }

    public ToolSpec {
        inputSchema = inputSchema.deepCopy();
    }

    /** A copy of the schema, for the caller to do with as it likes. */
    @Override
    public ObjectNode inputSchema() {
        return inputSchema.deepCopy();
    }

    /** Whether it is of no use where messages are pushed to the agent. */
    public boolean readsInbox() {
        return InboxTools.NAMES.contains(name);
    }

    /** Whether what {@link #run} answered says that it failed. */
    public static boolean isFailure(String answer) {
        return answer.startsWith("Error:") || answer.startsWith(Delegating.FAILED);
    }

    /** Runs the tool and waits. Failures are text that begins with {@code Error:}, for a model to read. */
    public String run(Toolbox toolbox, JsonNode arguments) throws InterruptedException {
        if (!toolbox.offers(this)) {
            return "Error: " + name
                    + " is not there while the initial prompt is answered: your peers may just be starting";
        }
        var passport = TraceContext.passport();
        if (passport.isPresent() && !passport.get().permits(name, Instant.now())) {
            return "Error: " + name + " is not allowed for this work: "
                    + passport.get().refusal(Instant.now());
        }
        try {
            return implementation.run(toolbox, new Arguments(arguments));
        } catch (PlatformException e) {
            return "Error: " + (e.isUnreachable() ? e.error() : e.error() + " (platform answered " + e.status() + ")");
        } catch (ToolRefusal | UncheckedIOException e) {
            return "Error: " + e.getMessage();
        }
    }
}
