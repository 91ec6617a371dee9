package ai.molecule.cli.steer;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What an agent said, gathered from the events of its stream, or from one answer; lines are given away as they are whole. */
public final class HeardAnswer {

    private final StringBuilder open = new StringBuilder();
    private final List<String> lines = new ArrayList<>();
    private long chars;
    private volatile @Nullable String task;
    private @Nullable String context;
    private @Nullable String failure;
    private boolean queued;
    private boolean isFetched;
    private boolean asks;

    /** One JSON-RPC answer. */
    public void hear(JsonObject event) {
        if (event.getValue("error") instanceof JsonObject error) {
            failure = error.getString("message", "no reason given");
        }
        if (Boolean.TRUE.equals(event.getValue("queued"))) {
            queued = true;
        }
        if (!(event.getValue("result") instanceof JsonObject result)) {
            return;
        }
        boolean isTask = "task".equals(result.getString("kind"));
        task = text(result, isTask ? "id" : "taskId", task);
        context = text(result, "contextId", context);
        queued |= "queued".equals(result.getValue("status"));
        isFetched |= "poll".equals(result.getValue("delivery_mode"));
        if (result.getValue("artifact") instanceof JsonObject artifact) {
            add(artifact, Boolean.TRUE.equals(result.getValue("append")));
        }
        if (result.containsKey("parts")) {
            add(result, false);
        }
        if (result.getValue("artifacts") instanceof JsonArray artifacts) {
            artifacts.stream()
                    .filter(JsonObject.class::isInstance)
                    .forEach(artifact -> add((JsonObject) artifact, false));
        }
        if (result.getValue("status") instanceof JsonObject status) {
            hearStatus(status);
        }
    }

    private void hearStatus(JsonObject status) {
        String state = status.getString("state", "");
        String said = status.getValue("message") instanceof JsonObject message ? textOf(message, "\n") : "";
        asks = state.equals("input-required") || state.equals("auth-required");
        switch (state) {
            case "failed", "rejected" -> failure = said.isEmpty() ? "no reason given" : said;
            case "canceled" -> failure = "it was stopped";
            case "working", "submitted" -> {} // what it is doing is not what it says
            default -> {
                if (asks || chars == 0) {
                    say(said);
                }
            }
        }
    }

    private void add(JsonObject spoken, boolean appended) {
        if (!appended && !open.isEmpty()) {
            end();
        }
        String text =
                textOf(spoken, spoken.containsKey("artifactId") ? "" : "\n"); // an artifact's are pieces of one text
        open.append(text);
        chars += text.length();
        for (int at = open.indexOf("\n"); at >= 0; at = open.indexOf("\n")) {
            lines.add(open.substring(0, at));
            open.delete(0, at + 1);
        }
    }

    private void say(String text) {
        end();
        if (!text.isEmpty()) {
            lines.add(text);
            chars += text.length();
        }
    }

    /** What was begun is a line. */
    public void end() {
        if (!open.isEmpty()) {
            lines.add(open.toString());
            open.setLength(0);
        }
    }

    /** Those that are whole and were not given yet. */
    public List<String> lines() {
        var whole = List.copyOf(lines);
        lines.clear();
        return whole;
    }

    long chars() {
        return chars;
    }

    @Nullable
    String task() {
        return task;
    }

    @Nullable
    String context() {
        return context;
    }

    public @Nullable String failure() {
        return failure;
    }

    /** Whether the agent fetches its messages: nothing is known of it but that this one waits for it. */
    public boolean isFetched() {
        return isFetched;
    }

    public boolean queued() {
        return queued;
    }

    public boolean asks() {
        return asks;
    }

    private static String textOf(JsonObject spoken, String between) {
        return spoken.getValue("parts") instanceof JsonArray parts
                ? parts.stream()
                        .filter(JsonObject.class::isInstance)
                        .map(part -> ((JsonObject) part).getValue("text"))
                        .filter(String.class::isInstance)
                        .map(String.class::cast)
                        .collect(Collectors.joining(between))
                : "";
    }

    private static @Nullable String text(JsonObject result, String member, @Nullable String before) {
        return result.getValue(member) instanceof String said ? said : before;
    }
}
