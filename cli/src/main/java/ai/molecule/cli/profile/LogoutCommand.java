package ai.molecule.cli.profile;

import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.cli.http.PlatformCommand;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import picocli.CommandLine.Command;

/** Ends what {@code login} got: at the platform, and here. */
@Command(
        name = "logout",
        description = "Revoke the token of login and delete its profile.",
        footer = {"", "Exit codes: 0 it holds no more, 1 the platform failed, 2 nobody is signed in."})
public final class LogoutCommand extends PlatformCommand {

    public LogoutCommand(Console console, MoleculeHome home) {
        super(console, home);
    }

    @Override
    protected int steer(PlatformApi api) throws IOException {
        var name = platform().profileName(System.getenv());
        if (name.isEmpty()) {
            throw LaunchFailure.usersTurn("No profile is meant here, so nobody is signed in; --profile names one.");
        }
        var answer = api.call("DELETE", "/people/me/tokens/current");
        if (answer.status() != 200 && answer.status() != 401 && answer.status() != 404) {
            throw new IOException("DELETE /people/me/tokens/current answered " + answer.status());
        }
        Profiles.read(platform().profiles(System.getenv())).without(name.get()).write();
        return tell(
                new JsonObject().put("profile", name.get()),
                "You are signed out; the profile " + name.get() + " is forgotten.");
    }
}
