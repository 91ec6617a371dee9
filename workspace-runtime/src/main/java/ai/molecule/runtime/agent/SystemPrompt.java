package ai.molecule.runtime.agent;

import java.util.List;

/** What a model is told before everything else. */
@FunctionalInterface
public interface SystemPrompt extends AutoCloseable {

    /** As it is true at this moment; may be empty. Blocks for a few seconds at most, and never fails. */
    String text();

    /** What the card says beside the kind's own skill: the skills the text tells of. */
    default List<Skill> skills() {
        return List.of();
    }

    /** Stops following what it is made from. */
    @Override
    default void close() {}
}
