package ai.molecule.cli.profile;

import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.Shell;
import ai.molecule.cli.http.Named;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.cli.http.PlatformCommand;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;

/** Whom the platform sees behind what this command shows. */
@Command(
        name = "whoami",
        description = "Show the account and role that this command uses.",
        footer = {"", "Exit codes: 0 said, 1 the platform failed, 2 it knows you by no name."})
public final class WhoamiCommand extends PlatformCommand {

    public WhoamiCommand(Console console, MoleculeHome home) {
        super(console, home);
    }

    @Override
    protected int steer(PlatformApi api) throws IOException {
        var answer = api.call("GET", "/people/me");
        if (answer.status() == 401) {
            throw LaunchFailure.usersTurn("%s knows you by no name; ./molecule login --url %s signs you in."
                    .formatted(api.url(), Shell.quoted(api.url())));
        }
        var person = Named.done("It does not say", answer);
        String roles = person.getJsonArray("roles").stream()
                .map(JsonObject.class::cast)
                .map(role ->
                        role.getString("role") + (role.containsKey("branch") ? " of " + role.getString("branch") : ""))
                .collect(Collectors.joining(", "));
        if (json) {
            console.out(person.encode());
        } else {
            String opens = person.getString("opens");
            String less = opens == null || roles.equals(opens) ? "" : ", here " + opens;
            console.out("%s (%s), %s%s, by %s at %s"
                    .formatted(
                            person.getString("login"),
                            person.getString("name"),
                            roles.isEmpty() ? "without a role" : roles,
                            less,
                            person.getString("credential"),
                            api.url()));
        }
        return 0;
    }
}
