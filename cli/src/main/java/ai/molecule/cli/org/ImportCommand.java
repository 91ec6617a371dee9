package ai.molecule.cli.org;

import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.Printable;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.cli.http.PlatformOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Sends an organisation to the platform, which creates its agents. */
@Command(
        name = "import",
        description = "Creates the agents of an organisation that is written down in a file (docs/org-yaml.md).",
        footer = {
            "",
            "Exit codes: 0 all agents were created and are being started, 1 the platform failed or could not start them,",
            "2 something for you to change, and nothing was created."
        })
public final class ImportCommand implements Callable<Integer> {

    @Parameters(
            paramLabel = "PATH",
            description =
                    "A folder with an org.yaml, such a file, or the name of an organisation that lies ready (demo, studio)")
    private String path = "";

    @Option(names = "--force", description = "Import although required secrets are missing.")
    private boolean force;

    @Option(names = "--no-start", description = "Create the agents paused; resuming the one at the top starts all.")
    private boolean waiting;

    @Mixin
    private PlatformOptions platform = new PlatformOptions();

    private final Console console;
    private final MoleculeHome home;

    public ImportCommand(Console console, MoleculeHome home) {
        this.console = console;
        this.home = home;
    }

    @Override
    public Integer call() throws IOException {
        var request = new JsonObject().put("force", force).put("start", !waiting);
        var local = Path.of(path);
        boolean named = path.matches("[A-Za-z0-9_-]+") && !Files.exists(local);
        if (!named && !Files.exists(local)) {
            throw LaunchFailure.usersTurn("There is no " + path + ".");
        }
        if (named) {
            request.put("dir", path);
        } else {
            request.put("files", OrgFiles.read(local));
        }
        return report(platform.ask(home, System.getenv(), api -> api.importOrganisation(request)));
    }

    private int report(PlatformApi.Answer answer) {
        var body = answer.body();
        if (answer.status() != 201 && answer.status() != 207) {
            throw refused(answer);
        }
        body.getJsonArray("workspaces", new JsonArray())
                .forEach(each -> console.out("%s  %s".formatted(text(each, "id"), text(each, "name"))));
        body.getJsonArray("workspaces", new JsonArray()).forEach(this::tellSkipped);
        body.getJsonArray("warnings", new JsonArray()).forEach(warning -> console.say("note: " + warning));
        String error = body.getString("error");
        if (error != null) {
            console.say("%d agents of %s were created, but %s."
                    .formatted(body.getInteger("count", 0), body.getString("org"), error));
            return 1;
        }
        console.say("%d agents of %s were created%s"
                .formatted(
                        body.getInteger("count", 0),
                        body.getString("org"),
                        waiting ? " and are paused." : "; ./molecule ps shows how they are."));
        return 0;
    }

    private void tellSkipped(Object workspace) {
        for (String kind : new String[] {"schedules_skipped", "channels_skipped"}) {
            if (workspace instanceof JsonObject entry && entry.containsKey(kind)) {
                entry.getJsonArray(kind)
                        .forEach(skipped -> console.say("note: %s: %s %s: %s"
                                .formatted(
                                        text(skipped, "workspace"),
                                        kind.startsWith("s") ? "schedule" : "channel",
                                        text(skipped, kind.startsWith("s") ? "name" : "type"),
                                        text(skipped, "reason"))));
            }
        }
    }

    private static LaunchFailure refused(PlatformApi.Answer answer) {
        var body = answer.body();
        var sentence = new StringBuilder("The organisation was not imported: ")
                .append(body.getString("error", "no reason given"));
        body.getJsonArray("problems", new JsonArray())
                .forEach(problem -> sentence.append("\n  ").append(problem));
        if (answer.status() == 412) {
            body.getJsonArray("missing_env", new JsonArray())
                    .forEach(missing -> sentence.append("\n  ").append(nameOf(missing)));
            sentence.append("\nSet them as global secrets, or import with --force.");
        }
        return answer.status() >= 500
                ? LaunchFailure.broken(sentence.toString())
                : LaunchFailure.usersTurn(sentence.toString());
    }

    private static String nameOf(Object requirement) {
        return requirement instanceof JsonObject group
                ? "one of "
                        + String.join(
                                ", ",
                                group.getJsonArray("any_of").stream()
                                        .map(String::valueOf)
                                        .toList())
                : String.valueOf(requirement);
    }

    private static String text(Object object, String name) {
        return object instanceof JsonObject json ? Printable.line(json.getString(name, "")) : "";
    }
}
