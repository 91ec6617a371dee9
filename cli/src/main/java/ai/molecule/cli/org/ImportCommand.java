package ai.molecule.cli.org;

import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.http.PlatformOptions;
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
        description = "Create the agents of an organization from its org.yaml (docs/org-yaml.md).",
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

    @Option(names = "--no-start", description = "Create the agents paused; resume the agent at the top to start all.")
    private boolean waiting;

    @Option(names = "--json", description = "Print the answer of the platform as JSON (docs/cli.md).")
    private boolean json;

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
        console.repeat(platform.repeated());
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
        return new ImportOutcome(console, waiting, json)
                .of(platform.ask(home, System.getenv(), api -> api.importOrganisation(request)));
    }
}
