package ai.molecule.runtime.agent;

import java.util.List;
import java.util.Map;

/**
 * What a kind of agent is made from.
 *
 * @param runtime as it was asked for: several kinds stand for more than one
 * @param model {@code <provider>:<model>}, or only a model; may be empty
 * @param command {@code runtime_config.command}; empty for the kind's own
 * @param args {@code runtime_config.args}
 * @param timeoutSeconds {@code runtime_config.timeout}: how long one answer may take; 0 for the kind's own
 * @param systemPrompt what the model is told before everything else; whoever answers with it closes it
 * @param limits of one task
 * @param environment the process's variables, secrets among them
 */
public record AgentSetup(
        String runtime,
        String model,
        String command,
        List<String> args,
        int timeoutSeconds,
        TaskLimits limits,
        SystemPrompt systemPrompt,
        Map<String, String> environment) {

    /** What a configuration has where nobody chose. */
    public static final String UNSAID_MODEL = "anthropic:claude-opus-4-7";

    public AgentSetup {
        args = List.copyOf(args);
        environment = Map.copyOf(environment);
    }

    /** Without limits. */
    public AgentSetup(
            String runtime,
            String model,
            String command,
            List<String> args,
            int timeoutSeconds,
            SystemPrompt systemPrompt,
            Map<String, String> environment) {
        this(runtime, model, command, args, timeoutSeconds, TaskLimits.NONE, systemPrompt, environment);
    }

    /** The model without its provider; empty when none is set. */
    public String modelName() {
        return model.substring(model.indexOf(':') + 1).strip();
    }

    /** Empty when the model is written without one. */
    public String provider() {
        return model.substring(0, Math.max(0, model.indexOf(':'))).strip();
    }

    /** Without values, which may be secrets. */
    @Override
    public String toString() {
        return "AgentSetup[" + runtime + ", " + model + "]";
    }
}
