package ai.molecule.cli.steer;

import ai.molecule.cli.Columns;
import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.Printable;
import ai.molecule.cli.Shell;
import ai.molecule.cli.http.Agent;
import ai.molecule.cli.http.Named;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.cli.http.PlatformCommand;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Work that one agent hands to another, durably. */
@Command(
        name = "delegate",
        description = "Delegate a task from one agent to another, or list the delegations of an agent.",
        footer = {"", "Exit codes of --wait: 0 it is done, 1 it failed, 2 something for you to change."})
final class DelegationCommand extends PlatformCommand {

    /** A delegation ends within 30 minutes, or waits for a person. */
    private static final Duration WAIT_MAX = Duration.ofHours(24);

    private static final int TASK_MAX_CHARS = 60;

    @Parameters(index = "0", paramLabel = "FROM", description = "Agent that delegates: name or id")
    private String from = "";

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "TO",
            description = "Agent that receives the task. Without it: list the delegations of FROM")
    private @Nullable String to;

    @Parameters(index = "2..*", paramLabel = "TASK", description = "Task; words need no quotes.")
    private List<String> task = new ArrayList<>();

    @Option(names = "--limit", paramLabel = "DOLLARS", description = "Cost limit of its model calls in US dollars.")
    private @Nullable BigDecimal limit;

    @Option(
            names = "--wait",
            description = "Wait until the delegation completes or fails, and print the beginning of its result.")
    private boolean wait;

    private final Duration pause;

    DelegationCommand(Console console, MoleculeHome home) {
        this(console, home, Duration.ofSeconds(1));
    }

    DelegationCommand(Console console, MoleculeHome home, Duration pause) {
        super(console, home);
        this.pause = pause;
    }

    @Override
    protected void check() {
        if (to != null && task.isEmpty()) {
            throw LaunchFailure.usersTurn("Say what " + to + " is to do.");
        }
        if (to == null && (wait || limit != null)) {
            throw LaunchFailure.usersTurn("Say to whom, and what is to be done.");
        }
    }

    @Override
    protected int steer(PlatformApi api) throws IOException {
        String path = "/workspaces/" + Named.idOf(api, from);
        if (to == null) {
            list(api, path);
            return 0;
        }
        var wanted = new JsonObject().put("target_id", Named.idOf(api, to)).put("task", String.join(" ", task));
        Named.putIfGiven(wanted, "limit", limit == null ? null : limit.doubleValue());
        var given = Named.done("Nothing was handed on", api.call("POST", path + "/delegate", wanted));
        String id = given.getString("delegation_id", "");
        if (wait) {
            console.say("%s has it (%s).".formatted(to, id));
            return awaitEnd(api, path, id);
        }
        console.out(json ? given.encode() : id);
        if (!json) {
            console.say("./molecule delegate %s shows what becomes of it.".formatted(Shell.quoted(from)));
        }
        return 0;
    }

    private void list(PlatformApi api, String path) throws IOException {
        var entries = api.list(path + "/delegations");
        if (json) {
            console.out(entries.encode());
            return;
        }
        var names = api.agents().stream().collect(Collectors.toMap(Agent::id, Agent::name));
        var rows = new Columns("WHEN", "TO", "STATUS", "WHAT");
        for (Object each : entries) {
            var entry = (JsonObject) each;
            String target = entry.getString("target_id", "");
            rows.row(
                    SecretCommands.moment(entry.getString("created_at")),
                    names.getOrDefault(target, target),
                    entry.getString("status", ""),
                    brief(said(entry)));
        }
        rows.print(console);
    }

    private int awaitEnd(PlatformApi api, String path, String id) throws IOException {
        long end = System.nanoTime() + WAIT_MAX.toNanos();
        while (System.nanoTime() < end) {
            var ended = ended(api, path, id);
            if (ended.isPresent()) {
                return tellEnd(ended.get());
            }
            try {
                TimeUnit.MILLISECONDS.sleep(pause.toMillis());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            }
        }
        throw LaunchFailure.broken(
                "It is not done after a day; ./molecule delegate %s shows how it is.".formatted(Shell.quoted(from)));
    }

    private static Optional<JsonObject> ended(PlatformApi api, String path, String id) throws IOException {
        return api.list(path + "/delegations").stream()
                .map(JsonObject.class::cast)
                .filter(entry -> id.equals(entry.getString("delegation_id")))
                .filter(entry -> List.of("completed", "failed").contains(entry.getString("status", "")))
                .findFirst();
    }

    private int tellEnd(JsonObject ended) {
        boolean failed = "failed".equals(ended.getString("status"));
        if (json) {
            console.out(ended.encode());
        } else if (failed) {
            console.say("%s failed: %s".formatted(to, Printable.line(said(ended))));
        } else {
            console.out(said(ended));
        }
        return failed ? 1 : 0;
    }

    /** What came of it, else what it is. */
    private static String said(JsonObject entry) {
        for (String member : List.of("error", "response_preview", "summary")) {
            String text = entry.getString(member);
            if (text != null && !text.isBlank()) {
                return text;
            }
        }
        return "";
    }

    private static String brief(String text) {
        String line = text.lines().findFirst().orElse("");
        return line.length() > TASK_MAX_CHARS ? line.substring(0, TASK_MAX_CHARS) + "…" : line;
    }
}
