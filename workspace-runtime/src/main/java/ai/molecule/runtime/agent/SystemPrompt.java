package ai.molecule.runtime.agent;

/** What a model is told before everything else. */
@FunctionalInterface
public interface SystemPrompt extends AutoCloseable {

    /** As it is true at this moment; may be empty. Blocks for a few seconds at most, and never fails. */
    String text();

    /** Stops following what it is made from. */
    @Override
    default void close() {}
}
