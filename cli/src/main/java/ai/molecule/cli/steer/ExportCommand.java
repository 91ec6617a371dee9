package ai.molecule.cli.steer;

import ai.molecule.cli.Console;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.Shell;
import ai.molecule.cli.data.WholeFile;
import ai.molecule.cli.http.Named;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.cli.http.PlatformCommand;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** An agent with everybody below it, as one document. */
@Command(
        name = "export",
        description = "Export an agent and all agents below it to a file that import reads.",
        footer = {"", "Secrets stay at home: what is one, or is written like one, becomes [REDACTED]."})
final class ExportCommand extends PlatformCommand {

    @Parameters(index = "0", paramLabel = "NAME|ID", description = "The agent")
    private String agent = "";

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "FILE",
            description = "Such as team.json. Default: standard output")
    private @Nullable Path file;

    ExportCommand(Console console, MoleculeHome home) {
        super(console, home);
    }

    @Override
    protected int steer(PlatformApi api) throws IOException {
        String path = "/bundles/export/" + Named.idOf(api, agent);
        try (var bundle = api.download(path, agent + " was not exported")) {
            if (file == null) {
                console.copy(bundle);
                console.out("");
                return 0;
            }
            long bytes = WholeFile.save(bundle, file);
            return tell(
                    new JsonObject().put("file", file.toString()).put("bytes", bytes),
                    "%s is in %s; ./molecule import %s makes it anew."
                            .formatted(agent, file, Shell.quoted(file.toString())));
        }
    }
}
