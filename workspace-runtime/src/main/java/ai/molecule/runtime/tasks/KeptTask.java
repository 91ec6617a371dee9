package ai.molecule.runtime.tasks;

import ai.molecule.runtime.agent.ToolUse;
import ai.molecule.sdk.TraceContext;
import ai.molecule.sdk.identity.Passport;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A task as its file tells it, row by row. */
final class KeptTask {

    /** As many ends of the agent in a row, with no step between them, and the task is not begun again. */
    static final int CRASHES_MAX = 3;

    /** @param fingerprint of what the message said */
    record Message(String id, long fingerprint) {}

    final TaskFile file;
    String id = "";
    String contextId = "";
    Optional<String> owner = Optional.empty();
    TaskState state = TaskState.WORKING;
    Instant since = Instant.EPOCH;
    String statusText = "";
    int crashes;
    final List<Turn> turns = new ArrayList<>();
    final List<Message> messages = new ArrayList<>();
    final StringBuilder answer = new StringBuilder();
    final List<ToolUse> tools = new ArrayList<>();
    final List<AnsweredPart> parts = new ArrayList<>();
    private JsonNode last = MissingNode.getInstance();
    private String prompt = "";

    private KeptTask(TaskFile file) {
        this.file = file;
    }

    /** Empty when it does not tell how the task began. */
    static Optional<KeptTask> read(TaskFile file) throws IOException {
        var task = new KeptTask(file);
        file.read(task::add);
        return task.id.isEmpty() || task.turns.isEmpty() ? Optional.empty() : Optional.of(task);
    }

    /** The message that is worked on, to be taken up again. */
    IncomingMessage message() {
        return message(last);
    }

    private IncomingMessage message(JsonNode row) {
        return new IncomingMessage(
                row.path("id").asText(),
                Optional.of(contextId),
                Optional.of(id),
                row.path("text").asText(),
                row.path("message"),
                row.path("metadata"),
                4L * row.toString().length());
    }

    /** What the message that is worked on was allowed; empty where it came with none. */
    private Optional<Passport> passport() {
        return Optional.ofNullable(last.path("passport").textValue()).flatMap(Passport::kept);
    }

    /** The trace that the message came with, under its passport. */
    TraceContext trace() {
        return TraceContext.of(
                        Optional.ofNullable(last.path("traceparent").textValue()),
                        Optional.ofNullable(last.path("tracestate").textValue()))
                .under(passport());
    }

    /** What the executor was asked; empty when it was not yet. */
    Optional<String> prompt() {
        return prompt.isEmpty() ? Optional.empty() : Optional.of(prompt);
    }

    private void add(JsonNode row) {
        switch (row.path("row").asText()) {
            case "begun" -> {
                id = row.path("task").asText();
                contextId = row.path("context").asText();
                owner = Optional.ofNullable(row.path("owner").textValue());
            }
            case "message" -> addMessage(row);
            case "prompt" -> prompt = row.path("text").asText();
            case "step" -> {
                crashes = 0;
                answer.append(row.path("said").asText());
            }
            case "tool" ->
                tools.add(new ToolUse(
                        row.path("tool").asText(),
                        row.path("input").asText(),
                        row.path("output").asText()));
            case "resumed" -> crashes++;
            case "rested" -> crashes = 0;
            case "asked" -> {
                state = TaskState.INPUT_REQUIRED;
                statusText = row.path("question").asText();
                since = at(row);
                crashes = 0;
            }
            case "ended" -> ended(row);
            default -> {
                // of a newer runtime
            }
        }
    }

    private void addMessage(JsonNode row) {
        if (!turns.isEmpty()) {
            turns.add(turns.removeLast().answeredWith(statusText));
        }
        state = TaskState.WORKING;
        statusText = "";
        prompt = "";
        since = at(row);
        messages.add(
                new Message(row.path("id").asText(), row.path("fingerprint").asLong()));
        turns.add(new Turn(message(row).asHistory(id, contextId), ""));
        last = row;
    }

    private void ended(JsonNode row) {
        for (TaskState each : TaskState.values()) {
            if (each.wireName().equals(row.path("state").asText()) && each.isFinal()) {
                state = each;
            }
        }
        statusText = row.path("text").asText();
        since = at(row);
        answer.setLength(0);
        answer.append(row.path("answer").asText());
        for (JsonNode part : row.path("files")) {
            parts.add(
                    part.has("data")
                            ? new AnsweredData(part.path("data").asText())
                            : new AnsweredFile(
                                    part.path("uri").asText(),
                                    part.path("name").asText(),
                                    part.path("type").asText()));
        }
        last = MissingNode.getInstance();
    }

    private static Instant at(JsonNode row) {
        return Instant.ofEpochMilli(row.path("at").asLong());
    }
}
