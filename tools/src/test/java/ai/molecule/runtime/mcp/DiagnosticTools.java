package ai.molecule.runtime.mcp;

import ai.molecule.runtime.tools.CallersInput;
import ai.molecule.runtime.tools.InputNeeded;
import ai.molecule.runtime.tools.Section;
import ai.molecule.runtime.tools.ToolSpec;
import ai.molecule.runtime.tools.Toolbox;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** The tools that the official conformance runner wants a server to have, beside what is tried of the protocol. */
final class DiagnosticTools implements CallTasks {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String BEGUN = "begun ";
    private static final String ELICIT = """
            {"method":"elicitation/create","params":{"mode":"form","message":"%s","requestedSchema":{"type":"object","properties":{"%s":{"type":"string"}},"required":["%s"]}}}""";
    private static final String SAMPLE = """
            {"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"What is the capital of France?"}}],"maxTokens":100}}""";
    private static final String ROOTS = "{\"method\":\"roots/list\",\"params\":{}}";

    /** A task of this server's, which knows no other store. */
    private static final class Job {
        final Instant begun = Instant.now();
        final Duration takes;
        final String end;
        final Map<String, JsonNode> open = new ConcurrentHashMap<>();
        volatile Optional<Instant> canceled = Optional.empty();

        Job(Duration takes, String end) {
            this.takes = takes;
            this.end = end;
        }
    }

    private final Map<String, Job> jobs = new ConcurrentHashMap<>();

    final List<ToolSpec> all = List.of(
            tool("test_simple_text", (box, arguments) -> "This is a simple text response for testing."),
            tool("test_error_handling", (box, arguments) -> "Error: this tool always fails"),
            tool("greet", (box, arguments) -> "Hello, " + arguments.text("name") + "!"),
            tool("slow_compute", (box, arguments) -> {
                Duration takes = Duration.ofSeconds(arguments.number("seconds", 1, 0, 60));
                return begin(box, takes, "ok computed for " + takes.toSeconds() + " s");
            }),
            tool("failing_job", (box, arguments) -> begin(box, Duration.ofSeconds(1), "tool it failed")),
            tool("protocol_error_job", (box, arguments) -> begin(box, Duration.ofSeconds(1), "protocol it broke")),
            tool("confirm_delete", (box, arguments) -> asking(box, "confirm")),
            tool("multi_input", (box, arguments) -> asking(box, "first", "second")),
            tool("test_tool_with_task", (box, arguments) -> {
                String name = said(box, "user_name", elicit("What is your name?", "name"), "name");
                return begin(box, Duration.ofSeconds(1), "ok Hello, " + name + "!");
            }),
            tool(
                    "test_input_required_result_elicitation",
                    (box, arguments) ->
                            "Hello, " + said(box, "user_name", elicit("What is your name?", "name"), "name") + "!"),
            tool(
                    "test_input_required_result_sampling",
                    (box, arguments) -> answered(box, Map.of("capital_question", json(SAMPLE)))
                            .toString()),
            tool(
                    "test_input_required_result_list_roots",
                    (box, arguments) ->
                            answered(box, Map.of("client_roots", json(ROOTS))).toString()),
            tool("test_input_required_result_request_state", (box, arguments) -> {
                JsonNode told = answered(box, Map.of("confirm", elicit("Please confirm", "ok")));
                return box.input().orElseThrow().state().has("asked") ? "state-ok " + told : "Error: no state";
            }),
            tool(
                    "test_input_required_result_tampered_state",
                    (box, arguments) -> answered(box, Map.of("confirm", elicit("Please confirm", "ok")))
                            .toString()),
            tool(
                    "test_input_required_result_multiple_inputs",
                    (box, arguments) -> answered(
                                    box,
                                    Map.of(
                                            "user_name", elicit("What is your name?", "name"),
                                            "greeting", json(SAMPLE),
                                            "client_roots", json(ROOTS)))
                            .toString()),
            tool("test_input_required_result_multi_round", (box, arguments) -> {
                CallersInput input = box.input().orElseThrow();
                String name = input.state().path("name").asText("");
                if (name.isEmpty()) {
                    name = said(box, "step1", elicit("Step 1: What is your name?", "name"), "name");
                }
                JsonNode colour = input.responses().path("step2");
                if (colour.isMissingNode()) {
                    throw new InputNeeded(
                            requests(Map.of("step2", elicit("Step 2: What is your favorite color?", "color"))),
                            JSON.createObjectNode().put("name", name));
                }
                return name + " likes " + colour.at("/content/color").asText();
            }),
            tool("test_input_required_result_capabilities", (box, arguments) -> {
                JsonNode can = box.input().orElseThrow().capabilities();
                var requests = JSON.createObjectNode();
                if (can.has("sampling")) {
                    requests.set("sample", json(SAMPLE));
                }
                if (can.has("elicitation")) {
                    requests.set("user_name", elicit("What is your name?", "name"));
                }
                throw new InputNeeded(requests, JSON.createObjectNode());
            }));

    private static ToolSpec tool(String name, ToolSpec.Action action) {
        ObjectNode schema = JSON.createObjectNode().put("type", "object");
        schema.putObject("properties");
        return new ToolSpec(name, "For the conformance runner.", "", schema, action, Section.OWN, false);
    }

    private static ObjectNode json(String text) {
        try {
            return (ObjectNode) JSON.readTree(text);
        } catch (Exception impossible) {
            throw new AssertionError(impossible);
        }
    }

    private static ObjectNode elicit(String message, String property) {
        return json(ELICIT.formatted(message, property, property));
    }

    private static ObjectNode requests(Map<String, ObjectNode> requests) {
        ObjectNode all = JSON.createObjectNode();
        requests.forEach(all::set);
        return all;
    }

    private static JsonNode answered(Toolbox box, Map<String, ObjectNode> asked) {
        JsonNode responses = box.input().orElseThrow().responses();
        if (!asked.keySet().stream().allMatch(responses::has)) {
            throw new InputNeeded(requests(asked), JSON.createObjectNode().put("asked", true));
        }
        return responses;
    }

    private static String said(Toolbox box, String key, ObjectNode request, String property) {
        JsonNode said =
                answered(box, Map.of(key, request)).path(key).path("content").path(property);
        if (!said.isTextual()) {
            throw new InputNeeded(requests(Map.of(key, request)), JSON.createObjectNode());
        }
        return said.asText();
    }

    private String begin(Toolbox box, Duration takes, String end) throws InterruptedException {
        boolean knowsTasks = box.input()
                .map(caller -> caller.capabilities().path("extensions").has(EXTENSION))
                .orElse(false);
        if (!knowsTasks) {
            Thread.sleep(takes);
            return end.startsWith("ok ") ? end.substring(3) : "Error: " + end;
        }
        String id = UUID.randomUUID().toString();
        jobs.put(id, new Job(takes, end));
        return BEGUN + id;
    }

    private String asking(Toolbox box, String... keys) throws InterruptedException {
        String begun = begin(box, Duration.ZERO, "ok done");
        Job job = jobs.get(begun.replace(BEGUN, ""));
        if (job != null) {
            for (String key : keys) {
                job.open.put(key + "-" + UUID.randomUUID(), elicit("Really?", "answer"));
            }
        }
        return begun;
    }

    @Override
    public boolean isFor(ToolSpec tool) {
        return true;
    }

    @Override
    public Optional<ObjectNode> begun(ToolSpec tool, String answer, CallersInput caller) {
        return answer.startsWith(BEGUN) ? find(answer.substring(BEGUN.length()), caller) : Optional.empty();
    }

    @Override
    public Optional<ObjectNode> find(String taskId, CallersInput caller) {
        return Optional.ofNullable(jobs.get(taskId)).map(job -> {
            Instant end = job.begun.plus(job.takes);
            ObjectNode task = JSON.createObjectNode()
                    .put("taskId", taskId)
                    .put("createdAt", job.begun.toString())
                    .put("lastUpdatedAt", job.canceled.orElse(job.begun).toString())
                    .put("ttlMs", 3_600_000)
                    .put("pollIntervalMs", 100);
            if (job.canceled.isPresent()) {
                return task.put("status", "cancelled");
            }
            if (!job.open.isEmpty()) {
                ObjectNode open = task.put("status", "input_required").putObject("inputRequests");
                job.open.forEach(open::set);
                return task;
            }
            if (Instant.now().isBefore(end)) {
                return task.put("status", "working");
            }
            if (job.end.startsWith("protocol ")) {
                task.put("status", "failed").put("statusMessage", job.end);
                task.putObject("error").put("code", -32603).put("message", job.end);
                return task;
            }
            ObjectNode result = task.put("status", "completed").putObject("result");
            result.putArray("content").addObject().put("type", "text").put("text", job.end);
            result.put("isError", !job.end.startsWith("ok "));
            return task;
        });
    }

    @Override
    public boolean update(String taskId, CallersInput caller) {
        Job job = jobs.get(taskId);
        if (job != null) {
            caller.responses().fieldNames().forEachRemaining(job.open::remove);
        }
        return job != null;
    }

    @Override
    public boolean cancel(String taskId) {
        Job job = jobs.get(taskId);
        if (job != null && (!job.open.isEmpty() || Instant.now().isBefore(job.begun.plus(job.takes)))) {
            job.canceled = Optional.of(Instant.now());
        }
        return job != null;
    }
}
