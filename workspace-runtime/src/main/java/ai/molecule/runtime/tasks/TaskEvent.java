package ai.molecule.runtime.tasks;

import java.time.Instant;
import java.util.List;

/** Something that happened to a task, as its followers see it. */
public sealed interface TaskEvent {

    /** @param text for the reader; empty when the state says it all */
    record StatusChanged(TaskState state, Instant at, String text) implements TaskEvent {}

    /**
     * A piece of the answer.
     *
     * @param append whether it continues what came before
     * @param last whether nothing more follows; {@code false} says nothing
     */
    record ArtifactChunk(String text, boolean append, boolean last) implements TaskEvent {}

    /**
     * What goes with the answer; nothing of it follows.
     *
     * @param append whether there are words before it
     */
    record PartsAttached(List<AnsweredPart> parts, boolean append) implements TaskEvent {}
}
