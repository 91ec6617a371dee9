package ai.molecule.cli.org;

import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.data.AdminToken;
import ai.molecule.cli.data.DataFolder;
import ai.molecule.cli.data.FolderLock;
import ai.molecule.cli.data.RunFile;
import ai.molecule.cli.http.PlatformApi;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
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

    @Option(
            names = "--url",
            description = "Another platform than the one running in the data folder; ADMIN_TOKEN is its token")
    private @Nullable String url;

    @Option(names = "--data", paramLabel = "DIR", description = "Data folder. Default: .molecule beside the launcher")
    private @Nullable Path folder;

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
        var data = DataFolder.at(home.dataFolder(folder));
        String platform = url != null ? url.replaceAll("/+$", "") : running(data);
        try (var api = new PlatformApi(platform, AdminToken.find(System.getenv(), data))) {
            return report(api.importOrganisation(request));
        } catch (IOException e) {
            throw LaunchFailure.broken("The platform at " + platform + " did not answer: " + e.getMessage(), e);
        }
    }

    private static String running(DataFolder data) throws IOException {
        return (FolderLock.isHeld(data.lock()) ? RunFile.read(data.runFile()) : Optional.<RunFile>empty())
                .orElseThrow(() -> LaunchFailure.usersTurn("Molecule is not running in " + data.root()
                        + "; start it with ./molecule up, or name a platform with --url."))
                .url();
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
        return object instanceof JsonObject json ? json.getString(name, "") : "";
    }
}
