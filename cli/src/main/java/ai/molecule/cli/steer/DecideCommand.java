package ai.molecule.cli.steer;

import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.approvals.AskedApproval;
import ai.molecule.cli.http.Named;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.cli.http.PlatformCommand;
import ai.molecule.common.text.VisibleText;
import java.io.IOException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A person's word on what an agent asks. */
@Command
final class DecideCommand extends PlatformCommand {

    @Parameters(paramLabel = "ID", description = "Id that ./molecule inbox shows, or its first characters")
    private String id = "";

    @Option(
            names = "--digest",
            paramLabel = "DIGEST",
            description =
                    "Decide only if what the agent asks still has this digest, which ./molecule inbox shows (at least 16 characters).")
    private String digest = "";

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
        var row = Approvals.named(api, id);
        var asked = AskedApproval.ofPending(row);
        if (!digest.isEmpty()) {
            refuseAnother(asked);
        }
        var decided = Named.done("Nothing was decided", asked.decide(api, decision));
        if (json) {
            console.out(decided.encode());
        } else {
            console.say("%s: %s asked: %s%s%s"
                    .formatted(
                            decision,
                            VisibleText.line(row.getString("workspace_name", "")),
                            VisibleText.line(asked.action()),
                            asked.reason().isEmpty() ? "" : ", because " + VisibleText.line(asked.reason()),
                            asked.context().isEmpty() ? "" : ", with " + asked.shownContext()));
            if (decided.getValue("waits") instanceof String waits) {
                console.say("Not decided yet: " + VisibleText.line(waits) + ".");
            }
        }
        return 0;
    }

    private void refuseAnother(AskedApproval asked) {
        if (!digest.matches("[0-9a-f]{%d,64}".formatted(AskedApproval.DIGEST_MIN_CHARS))) {
            throw LaunchFailure.usersTurn(
                    "--digest is 16 to 64 hexadecimal digits, as ./molecule inbox shows it. Nothing was decided.");
        }
        if (!asked.digest().startsWith(digest)) {
            throw LaunchFailure.usersTurn(
                    "This is not what has that digest: it was changed, or is another approval. Nothing was decided; ./molecule inbox shows it.");
        }
    }
}
