package ai.molecule.cli.steer;

import ai.molecule.cli.Console;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.Printable;
import ai.molecule.cli.http.Named;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.cli.http.PlatformCommand;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** A person's word on what an agent asks. */
@Command
final class DecideCommand extends PlatformCommand {

    @Parameters(paramLabel = "ID", description = "Id that ./molecule inbox shows, or its first characters")
    private String id = "";

    private final String decision;

    private DecideCommand(String decision, Console console, MoleculeHome home) {
        super(console, home);
        this.decision = decision;
    }

    static CommandLine approve(Console console, MoleculeHome home) {
        return named("approve", "Approve what an agent asks.", new DecideCommand("approved", console, home));
    }

    static CommandLine deny(Console console, MoleculeHome home) {
        return named("deny", "Deny what an agent asks.", new DecideCommand("denied", console, home));
    }

    private static CommandLine named(String word, String description, DecideCommand decide) {
        var command = new CommandLine(decide);
        command.getCommandSpec().name(word).usageMessage().description(description);
        return command;
    }

    @Override
    protected int steer(PlatformApi api) throws IOException {
        var asked = Approvals.named(api, id);
        String path =
                "/workspaces/%s/approvals/%s/decide".formatted(asked.getString("workspace_id"), asked.getString("id"));
        var decided =
                Named.done("Nothing was decided", api.call("POST", path, new JsonObject().put("decision", decision)));
        if (json) {
            console.out(decided.encode());
        } else {
            console.say("%s: %s asked: %s"
                    .formatted(
                            decision,
                            Printable.line(asked.getString("workspace_name", "")),
                            Printable.line(asked.getString("action", ""))));
        }
        return 0;
    }
}
