package ai.molecule.cli.profile;

import ai.molecule.cli.Columns;
import ai.molecule.cli.Console;
import ai.molecule.cli.HiddenInput;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.Shell;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** Names for platforms elsewhere; alone it explains itself. */
@Command(
        name = "profile",
        description = "Manage names of remote platforms, for --profile.",
        footer = {
            "",
            "A command without --url, --profile or --data speaks to the profile that MOLECULE_PROFILE names, else to the one",
            "in use, else to the platform of the data folder, which is also called local."
        })
public final class ProfileCommand implements Runnable {

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--config",
            paramLabel = "FILE",
            scope = ScopeType.INHERIT,
            description = "File of the profiles. Default: MOLECULE_CONFIG, else ~/.config/molecule/profiles")
    private @Nullable Path config;

    private final Console console;
    private final Map<String, String> environment;
    private final InputStream in;

    public ProfileCommand(Console console, Map<String, String> environment, InputStream in) {
        this.console = console;
        this.environment = environment;
        this.in = in;
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Missing required subcommand");
    }

    private Profiles profiles() {
        return Profiles.read(config != null ? config : Profiles.place(environment));
    }

    @Command(name = "list", description = "List profiles without their tokens; * marks the default.")
    int list(@Option(names = "--json", description = "As JSON.") boolean json) {
        var profiles = profiles();
        if (json) {
            console.out(asJson(profiles).encode());
            return 0;
        }
        if (profiles.all().isEmpty()) {
            console.say("There is no profile in " + profiles.file() + "; ./molecule profile set makes one.");
            return 0;
        }
        var rows = new Columns("", "PROFILE", "URL", "TOKEN");
        profiles.all()
                .forEach((name, profile) ->
                        rows.row(isChosen(profiles, name) ? "*" : "", name, profile.url(), whereToken(profile)));
        rows.print(console);
        return 0;
    }

    private static boolean isChosen(Profiles profiles, String name) {
        return profiles.chosen().equals(Optional.of(name));
    }

    private static String whereToken(Profile profile) {
        if (profile.token().isPresent()) {
            return "in the profile";
        }
        return profile.tokenFile().map(file -> "in " + file).orElse("none");
    }

    private static JsonObject asJson(Profiles profiles) {
        var rows = new JsonArray();
        profiles.all()
                .forEach((name, profile) -> rows.add(new JsonObject()
                        .put("name", name)
                        .put("url", profile.url())
                        .put(
                                "has_token",
                                profile.token().isPresent()
                                        || profile.tokenFile().isPresent())
                        .put("in_use", isChosen(profiles, name))));
        return new JsonObject().put("profiles", rows);
    }

    @Command(name = "set", description = "Create or replace a profile.")
    int set(
            @Parameters(paramLabel = "NAME", description = "Name of the profile") String name,
            @Option(names = "--url", required = true, paramLabel = "URL", description = "URL of the platform")
                    String url,
            @Option(
                            names = "--with-token",
                            description = "Ask for the ADMIN_TOKEN, or read it from standard input, and store it.")
                    boolean withToken,
            @Option(names = "--token-file", paramLabel = "FILE", description = "File with the token, read on each use.")
                    @Nullable
                    Path tokenFile,
            @Option(
                            names = "--organisation",
                            paramLabel = "ID",
                            description = "MOLECULE_ORG_ID of the platform, if it has one.")
                    @Nullable
                    String organisation)
            throws IOException {
        Profiles.checkedName(name);
        if (withToken && tokenFile != null) {
            throw LaunchFailure.usersTurn("--with-token and --token-file each say the token; choose one.");
        }
        String checked = Profile.checkedUrl(url);
        var profiles = profiles();
        var token = withToken
                ? Optional.of(HiddenInput.read("ADMIN_TOKEN of " + checked, in).strip())
                : Optional.<String>empty();
        profiles.with(
                        name,
                        new Profile(
                                checked,
                                token,
                                Optional.ofNullable(tokenFile).map(Path::toAbsolutePath),
                                Optional.ofNullable(organisation)))
                .write();
        console.say("%s is %s; ./molecule ps --profile %s looks at it, ./molecule profile use %s means it always."
                .formatted(name, checked, Shell.quoted(name), Shell.quoted(name)));
        return 0;
    }

    @Command(name = "use", description = "Use a profile by default.")
    int use(
            @Parameters(paramLabel = "NAME", description = "A profile, or local for the data folder's platform")
                    String name)
            throws IOException {
        profiles().choosing(name).write();
        console.say(name + " is meant from now on, wherever nothing else is said.");
        return 0;
    }

    @Command(name = "rm", description = "Delete a profile and its token.")
    int remove(@Parameters(paramLabel = "NAME", description = "The profile") String name) throws IOException {
        profiles().without(name).write();
        console.say(name + " is forgotten.");
        return 0;
    }
}
