package ai.molecule.runtime.langchain4j;

import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How often a model may call tools before it has to come to an answer. */
final class RoundLimit {

    /** Steps; a turn of the model and the tools it calls are one each (runtime contract, 2.1). */
    static final String VARIABLE = "LANGGRAPH_RECURSION_LIMIT";

    static final int STEPS = 500;

    private static final int STEPS_MAX = 10_000;
    private static final Logger LOGGER = LoggerFactory.getLogger(RoundLimit.class);

    private RoundLimit() {}

    /** Turns of the model for one message, at least 1. What cannot be used counts as the default, and the log says so. */
    static int in(Map<String, String> environment) {
        return (steps(environment.getOrDefault(VARIABLE, "").strip()) + 1) / 2;
    }

    private static int steps(String text) {
        if (text.isEmpty()) {
            return STEPS;
        }
        if (text.matches("\\d{1,9}") && Integer.parseInt(text) > 0) {
            return Math.min(Integer.parseInt(text), STEPS_MAX);
        }
        LOGGER.atWarn().addKeyValue("default", STEPS).log(VARIABLE + " is no number above 0");
        return STEPS;
    }
}
