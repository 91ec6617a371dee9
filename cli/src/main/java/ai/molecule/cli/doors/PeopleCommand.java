package ai.molecule.cli.doors;

import ai.molecule.cli.Columns;
import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.http.Named;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.cli.http.PlatformCommand;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The people of an organisation. What is printed alone is a link, because it is shown this once. */
@Command(
        name = "people",
        description = "List people, invite a person, send a new link, or remove a person.",
        footer = {"", "Exit codes: 0 done, 1 the platform failed, 2 something for you to change."})
public final class PeopleCommand extends PlatformCommand {

    @Option(
            names = "--invite",
            paramLabel = "LOGIN",
            description =
                    "Invites somebody, and prints a link that works once; takes ADMIN_TOKEN or an organization token")
    private @Nullable String invited;

    @Option(
            names = "--role",
            paramLabel = "ROLE",
            defaultValue = "viewer",
            description = "Of whom is invited: viewer, operator or owner. Default: ${DEFAULT-VALUE}")
    private String role = "viewer";

    @Option(names = "--branch", paramLabel = "NAME|ID", description = "Where that role counts. Default: everywhere")
    private @Nullable String branch;

    @Option(names = "--tenant", paramLabel = "NAME", description = "Or: at all roots of that tenant")
    private @Nullable String tenant;

    @Option(names = "--name", paramLabel = "NAME", description = "What who is invited is called. Default: the login")
    private @Nullable String name;

    @Option(
            names = "--link",
            paramLabel = "LOGIN",
            description =
                    "Prints a new link: for who lost it, or forgot a password; takes ADMIN_TOKEN or an organization token")
    private @Nullable String linked;

    @Option(names = "--remove", paramLabel = "LOGIN", description = "Removes somebody, with sessions and tokens")
    private @Nullable String removed;

    public PeopleCommand(Console console, MoleculeHome home) {
        super(console, home);
    }

    @Override
    protected int steer(PlatformApi api) throws IOException {
        if (invited != null) {
            var body = new JsonObject().put("login", invited).put("role", role);
            Named.putIfGiven(body, "name", name);
            Named.putIfGiven(body, "tenant", tenant);
            if (branch != null) {
                body.put("branch", Named.idOf(api, branch));
            }
            return link(Named.done(invited + " was not invited", api.call("POST", "/people", body)));
        }
        if (linked != null) {
            String path = "/people/" + idOf(api, linked) + "/link";
            return link(Named.done("No link was made", api.call("POST", path)));
        }
        if (removed != null) {
            String path = "/people/" + idOf(api, removed);
            return tell(Named.done(removed + " was not removed", api.call("DELETE", path)), removed + " is removed.");
        }
        return list(Named.done("They are not told", api.call("GET", "/people")));
    }

    private int link(JsonObject made) {
        if (json) {
            console.out(made.encode());
            return 0;
        }
        console.out(made.getString("link", ""));
        console.say("It works once, until %s; nobody is shown it again.".formatted(made.getString("link_expires_at")));
        return 0;
    }

    private int list(JsonObject people) {
        if (json) {
            console.out(people.encode());
            return 0;
        }
        var rows = new Columns("LOGIN", "NAME", "ROLES", "SIGNS IN WITH");
        people.getJsonArray("people").stream().map(JsonObject.class::cast).forEach(person -> {
            String ways = person.getJsonArray("signs_in_with").stream()
                    .map(String::valueOf)
                    .collect(Collectors.joining(", "));
            rows.row(
                    person.getString("login"),
                    person.getString("name"),
                    person.getJsonArray("roles").stream()
                            .map(JsonObject.class::cast)
                            .map(PeopleCommand::inWords)
                            .collect(Collectors.joining(", ")),
                    person.getBoolean("disabled") ? "shut out" : ways.isEmpty() ? "has not come yet" : ways);
        });
        rows.print(console);
        return 0;
    }

    private static String inWords(JsonObject grant) {
        String role = grant.getString("role");
        if (grant.containsKey("tenant")) {
            return role + " of tenant " + grant.getString("tenant");
        }
        return grant.containsKey("branch") ? role + " of " + grant.getString("branch") : role;
    }

    private static String idOf(PlatformApi api, String login) throws IOException {
        return Named.done("They are not told", api.call("GET", "/people")).getJsonArray("people").stream()
                .map(JsonObject.class::cast)
                .filter(person -> login.equalsIgnoreCase(person.getString("login")))
                .map(person -> person.getString("id"))
                .findFirst()
                .orElseThrow(() -> LaunchFailure.usersTurn("There is nobody called " + login + "."));
    }
}
