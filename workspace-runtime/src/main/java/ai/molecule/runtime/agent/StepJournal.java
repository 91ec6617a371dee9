package ai.molecule.runtime.agent;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/**
 * What was done for a task, step by step, in the words of the executor that did it. Steps that are kept survive the agent's end: the
 * executor that is given the task again finds them and does none twice.
 */
public interface StepJournal {

    /** Of a task of which nothing is kept. */
    StepJournal NONE = new StepJournal() {
        @Override
        public List<JsonNode> done() {
            return List.of();
        }

        @Override
        public boolean keep(ObjectNode step, String said) {
            return false;
        }
    };

    /** In order; of a task that goes on with another message those of the messages before, too. May read a file. */
    List<JsonNode> done();

    /**
     * Returns once the step is kept, or false when it cannot be: then nothing of the task is.
     *
     * @param said what the answer has gained by it; it stands there again before the task goes on
     */
    boolean keep(ObjectNode step, String said);
}
