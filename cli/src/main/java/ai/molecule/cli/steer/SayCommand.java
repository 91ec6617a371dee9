package ai.molecule.cli.steer;

import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.Printable;
import ai.molecule.cli.Shell;
import ai.molecule.cli.http.Named;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.cli.http.PlatformCommand;
import ai.molecule.common.text.VisibleText;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A word to an agent, and its answer as it comes. */
@Command(
        name = "say",
        description = "Send a message to an agent and print its answer as it arrives.",
        footer = {
            "",
            "Ctrl-C cancels the task.",
            "Exit codes: 0 answered, 1 failed or no reply in time, 2 something for you to change."
        })
final class SayCommand extends PlatformCommand {

    /** An answer beyond this is cut: whoever wants it whole asks over HTTP. */
    private static final int ANSWER_MAX_CHARS = 16 * 1024 * 1024;

    @Parameters(index = "0", paramLabel = "NAME|ID", description = "The agent")
    private String agent = "";

    @Parameters(index = "1..*", arity = "1..*", paramLabel = "WORDS", description = "Message; words need no quotes.")
    private List<String> words = new ArrayList<>();

    @Option(names = "--context", paramLabel = "ID", description = "Continue the conversation with this id.")
    private @Nullable String context;

    @Option(
            names = "--task",
            paramLabel = "ID",
            description = "Reply to a task that waits for input; ./molecule inbox shows its id.")
    private @Nullable String task;

    /** Longer than the 120 s after which the platform itself ends a silent stream, or a wait for an agent. */
    static final Duration SILENCE_MAX = Duration.ofSeconds(150);

    /** Of all that waits so many are told; the inbox has the others. */
    private static final int TOLD_MAX = 5;

    /** What the inbox calls rows of budgets and limits. */
    private static final Set<String> MONEY = Set.of("budget", "limit");

    private final Set<String> told = new HashSet<>();
    private final Duration silenceMax;

    SayCommand(Console console, MoleculeHome home) {
        this(console, home, SILENCE_MAX);
    }

    SayCommand(Console console, MoleculeHome home, Duration silenceMax) {
        super(console, home);
        this.silenceMax = silenceMax;
    }

    @Override
    protected int steer(PlatformApi api) throws IOException {
        String id = Named.idOf(api, agent);
        String path = "/workspaces/" + id + "/a2a";
        String messageId = UUID.randomUUID().toString();
        var answer = new HeardAnswer();
        var response = api.stream(path, request("message/stream", message(messageId)), silenceMax);
        var stopping = new Thread(() -> stop(api, path, answer), "stop");
        Runtime.getRuntime().addShutdownHook(stopping);
        try (var body = response.body();
                var watch = new SilenceWatch(body, silenceMax)) {
            if (response.statusCode() / 100 != 2) {
                Named.done(agent + " did not answer", new PlatformApi.Answer(response.statusCode(), whole(body)));
            }
            boolean streams =
                    response.headers().firstValue("Content-Type").orElse("").startsWith("text/event-stream");
            if (streams) {
                hear(api, body, watch, answer);
            } else {
                tell(answer, whole(body));
            }
        } finally {
            leave(stopping);
        }
        return answer.isFetched() ? fetched(api, id, messageId) : end(answer);
    }

    private static void leave(Thread stopping) {
        try {
            Runtime.getRuntime().removeShutdownHook(stopping);
        } catch (IllegalStateException ending) {
            // it runs: somebody pressed Ctrl-C, and it ends the task
        }
    }

    /** An agent that fetches its messages replies when it has fetched this one. */
    private int fetched(PlatformApi api, String id, String messageId) throws IOException {
        console.say(agent + " fetches its messages; waiting for its reply. Ctrl-C stops waiting.");
        var reply = new FetchedReply(api, id).to(messageId, silenceMax);
        if (reply.isEmpty()) {
            console.say(
                    "%s has not replied within %d s. The message waits for it, and its reply appears in the console."
                            .formatted(agent, silenceMax.toSeconds()));
            return 1;
        }
        console.out(json ? reply.get().encode() : FetchedReply.words(reply.get()));
        return 0;
    }

    private void hear(PlatformApi api, InputStream body, SilenceWatch watch, HeardAnswer answer) throws IOException {
        var lines = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8));
        for (String line = next(lines, watch); line != null; line = next(lines, watch)) {
            if (line.startsWith("data:")) {
                tell(answer, parsed(line.substring("data:".length())));
            } else if (line.startsWith(":")) {
                tellWhoWaits(api);
            }
        }
    }

    /** Nothing was said for a while: perhaps because a person is to decide, who else would wait here for days. */
    private void tellWhoWaits(PlatformApi api) {
        try {
            for (Object each : Approvals.pending(api)) {
                var approval = (JsonObject) each;
                String id = approval.getString("id", "");
                if (told.size() < TOLD_MAX && told.add(id)) {
                    console.say("%s waits for a decision: %s; ./molecule inbox shows all of it, and how to decide."
                            .formatted(
                                    VisibleText.line(approval.getString("workspace_name", "")),
                                    VisibleText.line(approval.getString("action", ""))));
                }
            }
            tellWhoRests(api);
        } catch (IOException | LaunchFailure notNow) {
            // an answer may come all the same
        }
    }

    /** An agent whose money is used up goes on when it is allowed more, which nobody does who does not know. */
    private void tellWhoRests(PlatformApi api) throws IOException {
        var inbox = Named.done("The inbox is not known", api.call("GET", "/inbox?limit=200"));
        for (Object each : inbox.getJsonArray("rows", new JsonArray())) {
            var row = (JsonObject) each;
            boolean money = MONEY.contains(row.getString("kind", ""));
            boolean all = row.getJsonObject("details", new JsonObject()).getInteger("percent", 0) >= 100;
            if (money && all && told.size() < TOLD_MAX && told.add(row.getString("id", ""))) {
                console.say("%s rests, because its money is used up: %s; allow it more on the page, and it goes on."
                        .formatted(
                                Printable.line(Objects.requireNonNullElse(row.getString("workspace_name"), agent)),
                                Printable.line(row.getString("text", ""))));
            }
        }
    }

    /** Comments count too: a stream that is well has one every 15 s. */
    private @Nullable String next(BufferedReader lines, SilenceWatch watch) throws IOException {
        @Nullable String line = null;
        try {
            line = lines.readLine();
        } catch (IOException cut) {
            if (!watch.isLeft()) {
                throw cut;
            }
        }
        if (watch.isLeft()) {
            throw LaunchFailure.broken(
                    "Nothing was heard for %d s, so the platform stands still; %s may work on, ./molecule events -f shows it."
                            .formatted(silenceMax.toSeconds(), agent));
        }
        watch.heard();
        return line;
    }

    private void tell(HeardAnswer answer, JsonObject event) {
        if (json) {
            console.out(event.encode());
        }
        answer.hear(event);
        if (!json) {
            answer.lines().forEach(console::out);
        }
        if (answer.chars() > ANSWER_MAX_CHARS) {
            throw LaunchFailure.broken(agent + " answered more than 16 MiB.");
        }
    }

    private int end(HeardAnswer answer) {
        answer.end();
        if (!json) {
            answer.lines().forEach(console::out);
        }
        if (answer.failure() != null) {
            console.say(agent + " failed: " + answer.failure());
            return 1;
        }
        if (answer.queued()) {
            console.say(agent + " is busy; it gets the message when it is free, and its answer is in its activity.");
        } else if (answer.asks()) {
            console.say("%s waits for your answer: ./molecule say %s --context %s YOUR ANSWER"
                    .formatted(agent, Shell.quoted(agent), Shell.quoted(String.valueOf(answer.context()))));
        } else if (answer.context() != null) {
            console.say("Go on with --context " + Shell.quoted(answer.context()));
        }
        return 0;
    }

    private static void stop(PlatformApi api, String path, HeardAnswer answer) {
        String task = answer.task();
        if (task != null) {
            try {
                api.call("POST", path, request("tasks/cancel", new JsonObject().put("id", task)));
            } catch (IOException gone) {
                // whoever pressed Ctrl-C leaves anyway
            }
        }
    }

    private JsonObject message(String messageId) {
        var message = new JsonObject()
                .put("kind", "message")
                .put("role", "user")
                .put("messageId", messageId)
                .put(
                        "parts",
                        new JsonArray().add(new JsonObject().put("kind", "text").put("text", String.join(" ", words))));
        if (context != null) {
            message.put("contextId", context);
        }
        if (task != null) {
            message.put("taskId", task);
        }
        return new JsonObject().put("message", message);
    }

    private static JsonObject request(String method, JsonObject params) {
        return new JsonObject()
                .put("jsonrpc", "2.0")
                .put("id", UUID.randomUUID().toString())
                .put("method", method)
                .put("params", params);
    }

    private static JsonObject whole(InputStream body) throws IOException {
        return parsed(new String(body.readNBytes(ANSWER_MAX_CHARS), StandardCharsets.UTF_8));
    }

    private static JsonObject parsed(String text) throws IOException {
        try {
            return text.isBlank() ? new JsonObject() : new JsonObject(text);
        } catch (DecodeException e) {
            throw new IOException("it did not answer JSON", e);
        }
    }
}
