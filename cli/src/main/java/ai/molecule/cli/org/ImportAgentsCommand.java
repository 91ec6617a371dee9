package ai.molecule.cli.org;

import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.Shell;
import ai.molecule.cli.http.PlatformOptions;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes agents of files that were written for another program. */
@Command(
        name = "import",
        description = "Import agents from an export, or from files of .claude/agents, at the top level.",
        footer = {
            "",
            "Exit codes: 0 they were created, or written; 1 the platform failed, 2 something for you to change."
        })
public final class ImportAgentsCommand implements Callable<Integer> {

    @Parameters(
            paramLabel = "PATH",
            description = "An export (team.json), a folder of Markdown files such as .claude/agents, or one such file")
    private Path path = Path.of("");

    @Option(
            names = "--runtime",
            paramLabel = "RUNTIME",
            description = "Runtime of the agents. Default: ${DEFAULT-VALUE}",
            defaultValue = "langgraph")
    private String runtime = "langgraph";

    @Option(
            names = "--to",
            paramLabel = "DIR",
            description = "Write folders for ./molecule dev and org import instead of creating agents.")
    private @Nullable Path target;

    @Option(names = "--no-start", description = "Create the agents paused.")
    private boolean waiting;

    @Option(names = "--json", description = "Print the answer of the platform as JSON (docs/cli.md).")
    private boolean json;

    @Mixin
    private PlatformOptions platform = new PlatformOptions();

    private final Console console;
    private final MoleculeHome home;

    public ImportAgentsCommand(Console console, MoleculeHome home) {
        this.console = console;
        this.home = home;
    }

    @Override
    public Integer call() throws IOException {
        console.repeat(platform.repeated());
        if (Bundle.isOne(path)) {
            if (target != null || waiting) {
                throw LaunchFailure.usersTurn(
                        path + " is made anew as it was: --to and --no-start are for markdown files.");
            }
            var bundle = Bundle.read(path);
            return platform.ask(home, System.getenv(), api -> bundle.makeAnew(api, console, json));
        }
        var files = new SubagentFiles(console, runtime, "Imported agents").read(path);
        if (target != null) {
            return write(files, target);
        }
        var request =
                new JsonObject().put("force", false).put("start", !waiting).put("files", files);
        return new ImportOutcome(console, waiting, json)
                .of(platform.ask(home, System.getenv(), api -> api.importOrganisation(request)));
    }

    private int write(JsonObject files, Path folder) throws IOException {
        for (String name : files.fieldNames()) {
            if (Files.exists(folder.resolve(name))) {
                throw LaunchFailure.usersTurn(folder.resolve(name) + " is there already.");
            }
        }
        for (String name : files.fieldNames()) {
            Path file = folder.resolve(name);
            Path parent = Objects.requireNonNullElse(file.getParent(), folder);
            Files.createDirectories(parent);
            Files.writeString(file, files.getString(name));
            if (file.endsWith("config.yaml")) {
                console.out("./molecule dev " + Shell.quoted(parent.toString()));
            }
        }
        return 0;
    }
}
