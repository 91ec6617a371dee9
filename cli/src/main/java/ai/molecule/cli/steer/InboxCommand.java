package ai.molecule.cli.steer;

import ai.molecule.cli.Console;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.Printable;
import ai.molecule.cli.http.PlatformApi;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import picocli.CommandLine.Command;

/** What waits for a person. */
@Command(name = "inbox", description = "Lists what agents ask: who, what, why, until when.")
final class InboxCommand extends Steering {

    InboxCommand(Console console, MoleculeHome home) {
        super(console, home);
    }

    @Override
    int steer(PlatformApi api) throws IOException {
        var pending = Approvals.pending(api);
        if (json) {
            console.out(pending.encode());
            return 0;
        }
        for (Object each : pending) {
            print((JsonObject) each);
        }
        if (pending.isEmpty()) {
            console.say("Nothing waits for you.");
        } else {
            console.say("./molecule approve or ./molecule deny with the first letters of an id decides.");
        }
        return 0;
    }

    private void print(JsonObject approval) {
        console.out("%s  %s asks: %s"
                .formatted(
                        approval.getString("id", "").split("-", 2)[0],
                        line(approval, "workspace_name"),
                        line(approval, "action")));
        String reason = line(approval, "reason");
        if (!reason.isEmpty()) {
            console.out("          because: " + reason);
        }
        var context = approval.getJsonObject("context");
        if (context != null && !context.isEmpty()) {
            console.out("          with: " + Printable.line(context.encode()));
        }
        console.out("          until " + line(approval, "expires_at"));
    }

    private static String line(JsonObject approval, String member) {
        String text = approval.getString(member);
        return text == null ? "" : Printable.line(text);
    }
}
