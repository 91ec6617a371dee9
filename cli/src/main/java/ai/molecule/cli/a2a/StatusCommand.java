package ai.molecule.cli.a2a;

import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** What became of a task that was given away without waiting. */
@Command(name = "status", description = "Shows what became of a task given with delegate --async.")
final class StatusCommand implements Callable<Integer> {

    private static final ObjectMapper JSON = new ObjectMapper();

    @Mixin
    private Speaker speaker = new Speaker();

    @Parameters(index = "0", paramLabel = "WORKSPACE_ID", description = "The peer it was given to.")
    private String target = "";

    @Parameters(index = "1", paramLabel = "DELEGATION_ID", description = "What delegate --async printed.")
    private String delegation = "";

    private final Console console;
    private final Map<String, String> environment;

    StatusCommand(Console console, Map<String, String> environment) {
        this.console = console;
        this.environment = environment;
    }

    @Override
    public Integer call() throws InterruptedException, JsonProcessingException {
        ObjectNode arguments = JsonNodeFactory.instance
                .objectNode()
                .put("workspace_id", target)
                .put("task_id", delegation);
        JsonNode row = JSON.readTree(speaker.use("check_task_status", arguments, environment));
        if (row.path("status").asText().equals("not_found")) {
            throw LaunchFailure.broken("Error: no delegation " + delegation);
        }
        if (speaker.json()) {
            console.out(row.toString());
            return 0;
        }
        console.out("Status: " + row.path("status").asText("unknown"));
        for (String detail : new String[] {"response_preview", "error"}) {
            if (row.hasNonNull(detail)) {
                console.out(row.path(detail).asText());
            }
        }
        return 0;
    }
}
