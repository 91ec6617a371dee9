package ai.molecule.runtime.langchain4j;

import ai.molecule.runtime.tools.Asking;
import ai.molecule.runtime.tools.ToolSpec;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import java.util.List;
import java.util.Optional;

/** Calls of the tool {@code ask}. */
final class Questions {

    private Questions() {}

    /** The call that asks, when one does and may. */
    static Optional<ToolExecutionRequest> in(List<ToolExecutionRequest> calls, List<ToolSpec> offered) {
        return calls.stream()
                .filter(call -> call.name().equals(Asking.TOOL.name()) && offered.contains(Asking.TOOL))
                .filter(call -> !question(call).isEmpty())
                .findFirst();
    }

    /** Empty when there is none. */
    static String question(ToolExecutionRequest call) {
        return ToolCalls.arguments(call.arguments())
                .map(arguments -> arguments.path("question").asText("").strip())
                .orElse("");
    }

    static List<ToolExecutionRequest> others(
            List<ToolExecutionRequest> calls, Optional<ToolExecutionRequest> question) {
        return calls.stream()
                .filter(call -> !question.equals(Optional.of(call)))
                .toList();
    }
}
