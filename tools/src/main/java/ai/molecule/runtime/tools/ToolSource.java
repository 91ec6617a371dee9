package ai.molecule.runtime.tools;

import java.util.List;
import java.util.Map;

/** Tools beside the platform's own, which may come and go while an agent runs. */
public interface ToolSource extends AutoCloseable {

    /** The tools of one message. */
    @FunctionalInterface
    interface ForMessage {

        /** Asked before each turn of the model, because tools may have been found or lost since the last. */
        List<ToolSpec> now();
    }

    /** Has none. */
    ToolSource NONE = () -> List::of;

    /** For a message that begins. May wait some seconds, and never fails. */
    ForMessage begin() throws InterruptedException;

    /** Other values of the agent's variables, for what is begun from now on. */
    default void takeOtherValues(Map<String, String> environment) {}

    /** Lets go of what the tools work with. */
    @Override
    default void close() {}
}
