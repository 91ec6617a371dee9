package ai.molecule.runtime.mcp;

import ai.molecule.runtime.tools.HeldCall;
import ai.molecule.runtime.tools.Parked;
import ai.molecule.runtime.tools.ToolSpec;
import ai.molecule.runtime.tools.Toolbox;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;

/**
 * Calls of tools that have to wait for something outside, such as a person: whoever asks over MCP waits for its answer, as long as its own
 * time is, so the call looks again every few seconds until it has come.
 */
final class WaitingCalls {

    private static final Duration PAUSE = Duration.ofSeconds(2);

    private WaitingCalls() {}

    static String run(ToolSpec tool, Toolbox toolbox, JsonNode arguments) throws InterruptedException {
        Toolbox noting = toolbox.call()
                .map(call -> toolbox.during(new HeldCall(call.taskId())))
                .orElse(toolbox);
        while (true) {
            try {
                return tool.run(noting, arguments);
            } catch (Parked waits) {
                await(waits.until());
            }
        }
    }

    private static void await(Parked.Until until) throws InterruptedException {
        while (!hasCome(until)) {
            Thread.sleep(PAUSE);
        }
    }

    private static boolean hasCome(Parked.Until until) throws InterruptedException {
        try {
            return until.hasCome();
        } catch (InterruptedException cancelled) {
            throw cancelled;
        } catch (Exception notYet) {
            return false;
        }
    }
}
