package ai.molecule.cli.steer;

import ai.molecule.cli.Console;
import ai.molecule.cli.Desktop;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.Printable;
import ai.molecule.cli.http.Named;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.cli.http.PlatformCommand;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A web server that an agent started, in the browser. */
@Command(
        name = "open",
        description = "Open an agent's web server in your browser.",
        footer = {
            "",
            "The address has a host name of its own (docs/operations.md).",
            "The link works once, within 2 minutes.",
            "The session lasts 8 hours, and ends when you may no longer operate the agent."
        })
final class OpenCommand extends PlatformCommand {

    @Parameters(index = "0", paramLabel = "NAME|ID", description = "The agent")
    private String agent = "";

    @Option(
            names = "--port",
            paramLabel = "PORT",
            description = "Where the web server listens; not needed when the agent has only one")
    private @Nullable Integer port;

    @Option(names = "--print", description = "Print the link and open no browser.")
    private boolean print;

    OpenCommand(Console console, MoleculeHome home) {
        super(console, home);
    }

    @Override
    protected int steer(PlatformApi api) throws IOException {
        String path = "/workspaces/" + Named.idOf(api, agent) + "/preview";
        int meant = port == null
                ? only(Named.done("The ports of " + agent + " are not known", api.call("GET", path)))
                : port;
        var answer = Named.done(
                "Port " + meant + " of " + agent + " cannot be opened",
                api.call("POST", path, new JsonObject().put("port", meant)));
        String url = Printable.line(answer.getString("url", ""));
        if (json) {
            console.out(answer.encode());
            return 0;
        }
        console.out(url);
        if (!print && url.startsWith("http")) {
            Desktop.show(url, console);
        }
        return 0;
    }

    private int only(JsonObject listed) {
        List<Integer> ports = listed.getJsonArray("ports", new JsonArray()).stream()
                .map(each -> ((Number) each).intValue())
                .toList();
        if (ports.size() == 1) {
            return ports.getFirst();
        }
        String reason = listed.getString("reason");
        throw LaunchFailure.usersTurn(
                !ports.isEmpty()
                        ? "%s listens at %s. Choose one with --port."
                                .formatted(
                                        agent,
                                        ports.stream().map(String::valueOf).collect(Collectors.joining(", ")))
                        : reason != null
                                ? Printable.line(reason)
                                : agent + " listens at no port of 127.0.0.1. Start its web server first.");
    }
}
