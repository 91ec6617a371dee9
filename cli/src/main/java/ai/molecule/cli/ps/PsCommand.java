package ai.molecule.cli.ps;

import ai.molecule.cli.Columns;
import ai.molecule.cli.Console;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.data.RunFile;
import ai.molecule.cli.http.Agent;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.cli.http.PlatformCommand;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Shows what runs: services and embedded servers of the platform that runs here, agents of any. */
@Command(name = "ps", description = "List services and agents; of a remote platform the agents.")
public final class PsCommand extends PlatformCommand {

    private static final String OUTDATED = " (old secret)";

    @Option(names = "--tree", description = "Show the organization as a tree.")
    private boolean tree;

    /** What listens on loopback, and how it is. */
    private record Part(String name, String status, int port, long pid) {

        JsonObject toJson() {
            return new JsonObject()
                    .put("name", name)
                    .put("status", status)
                    .put("port", port)
                    .put("pid", pid);
        }
    }

    public PsCommand(Console console, MoleculeHome home) {
        super(console, home);
    }

    @Override
    protected int steer(PlatformApi api) throws IOException {
        List<Part> parts = platform().here(home, api).map(PsCommand::parts).orElse(List.of());
        if (json) {
            var agents = api.list("/workspaces");
            console.out(new JsonObject()
                    .put("url", api.url())
                    .put(
                            "services",
                            new JsonArray(parts.stream().map(Part::toJson).toList()))
                    .put("agents", agents)
                    .encode());
            return 0;
        }
        if (!parts.isEmpty()) {
            var rows = new Columns("SERVICE", "STATUS", "PORT", "PID");
            parts.forEach(part -> rows.row(part.name(), part.status(), part.port(), part.pid()));
            rows.print(console);
            console.out("");
        }
        var rows = new Columns("AGENT", "STATUS", "RUNTIME", "ID");
        var agents = api.agents();
        var named = tree ? OrgTree.of(agents) : OrgTree.flat(agents);
        named.forEach(line -> rows.row(
                line.name(),
                line.agent().status() + (line.agent().outdated() ? OUTDATED : ""),
                line.agent().runtime(),
                line.agent().id()));
        rows.print(console);
        if (agents.stream().anyMatch(Agent::outdated)) {
            console.say(
                    "%s: the agent runs with an older value of a secret. Restart it to use the new value: ./molecule agent restart NAME"
                            .formatted(OUTDATED.strip()));
        }
        return 0;
    }

    private static List<Part> parts(RunFile running) {
        var parts = new ArrayList<Part>();
        running.services().forEach((name, at) -> parts.add(new Part(name, statusOf(at), at.port(), at.pid())));
        running.servers()
                .forEach((name, at) -> parts.add(new Part(
                        name, ProcessHandle.of(at.pid()).isPresent() ? "running" : "gone", at.port(), at.pid())));
        return parts;
    }

    private static String statusOf(RunFile.Endpoint service) {
        try (var api = new PlatformApi("http://127.0.0.1:" + service.port(), Optional.empty(), Optional.empty())) {
            return api.answers("/ready") ? "ready" : "not ready";
        }
    }
}
