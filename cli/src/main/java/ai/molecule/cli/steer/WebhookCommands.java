package ai.molecule.cli.steer;

import ai.molecule.cli.Columns;
import ai.molecule.cli.Console;
import ai.molecule.cli.HiddenInput;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.http.Named;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.cli.http.PlatformCommand;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What comes in from elsewhere and becomes work. */
final class WebhookCommands {

    private static final String PATH = "/webhooks";

    private static final String GITHUB = "github";

    private WebhookCommands() {}

    /** @param type of GitHub for one agent {@code github/<id>}, as the list shows it */
    private static String pathOf(String type) {
        return PATH + "/"
                + Stream.of(type.split("/", -1)).map(PlatformApi::segment).collect(Collectors.joining("/"));
    }

    static CommandLine group(Console console, MoleculeHome home, InputStream in) {
        var spec = CommandSpec.create().name("webhook").aliases("webhooks");
        spec.usageMessage().description("Manage incoming webhooks, for example from GitHub, that start runs.");
        return new CommandLine(spec)
                .addSubcommand(new WebhookListing(console, home))
                .addSubcommand(new WebhookSetting(console, home, in))
                .addSubcommand(new WebhookRemoval(console, home));
    }

    @Command(name = "list", description = "List incoming webhooks and the agents they start.")
    private static final class WebhookListing extends PlatformCommand {

        WebhookListing(Console console, MoleculeHome home) {
            super(console, home);
        }

        @Override
        protected int steer(PlatformApi api) throws IOException {
            var webhooks = api.list(PATH);
            if (json) {
                console.out(webhooks.encode());
                return 0;
            }
            var rows = new Columns("TYPE", "TO", "EVENTS", "LIMIT", "TITLE");
            for (Object each : webhooks) {
                var webhook = (JsonObject) each;
                String to = webhook.getString("to");
                @Nullable JsonArray events = webhook.getJsonArray("events");
                Object limit = webhook.getValue("limit");
                rows.row(
                        webhook.getString("type", ""),
                        to == null ? "as the address says" : to,
                        events == null
                                ? "all"
                                : String.join(
                                        ",",
                                        events.stream().map(String::valueOf).toList()),
                        limit == null ? "-" : "$" + limit,
                        webhook.getString("title", ""));
            }
            rows.print(console);
            for (Object each : webhooks) {
                var webhook = (JsonObject) each;
                if (webhook.getBoolean("paused", false)) {
                    console.out(
                            "%s is paused, because whoever set its secret may not act for the agent any more. Set another one: webhook set %1$s --secret"
                                    .formatted(webhook.getString("type", "")));
                }
            }
            return 0;
        }
    }

    @Command(
            name = "set",
            description = "Create or change an incoming webhook.",
            footer = {
                "",
                "Members are those of docs/wire/work.md, From elsewhere: title, brief, events, limit. " + Members.VALUE,
                "What is not said is as for a new one, but for the secret, which stays."
            })
    private static final class WebhookSetting extends PlatformCommand {

        @Parameters(
                index = "0",
                paramLabel = "TYPE",
                description = "github, or a path of your own: POST /webhooks/TYPE")
        private String type = "";

        @Parameters(index = "1..*", paramLabel = "MEMBER=VALUE", description = "Further settings (docs/cli.md)")
        private List<String> members = new ArrayList<>();

        @Option(
                names = "--to",
                paramLabel = "NAME|ID",
                description = "Agent that receives the run; with github, the agent that gets a secret of its own")
        private @Nullable String to;

        @Option(names = "--secret", description = "Ask for the signing secret, or read it from standard input")
        private boolean secret;

        private final InputStream in;

        WebhookSetting(Console console, MoleculeHome home, InputStream in) {
            super(console, home);
            this.in = in;
        }

        @Override
        protected int steer(PlatformApi api) throws IOException {
            var wanted = Members.of(members);
            String agent = to == null ? null : Named.idOf(api, to);
            boolean ofOne = type.equals(GITHUB) && agent != null;
            Named.putIfGiven(wanted, "to", ofOne ? null : agent);
            Named.putIfGiven(wanted, "secret", secret ? HiddenInput.read("Secret", in) : null);
            String path = pathOf(ofOne ? GITHUB + "/" + agent : type);
            return tell(
                    Named.done(type + " stays as it is", api.call("PUT", path, wanted)),
                    type.equals(GITHUB) && !ofOne
                            ? "GitHub may send to POST /webhooks/github/<agent's id>."
                            : "%s may send to POST %s.".formatted(type, path));
        }
    }

    @Command(name = "rm", description = "Delete an incoming webhook.")
    private static final class WebhookRemoval extends PlatformCommand {

        @Parameters(paramLabel = "TYPE", description = "Type, as list shows it")
        private String type = "";

        WebhookRemoval(Console console, MoleculeHome home) {
            super(console, home);
        }

        @Override
        protected int steer(PlatformApi api) throws IOException {
            return tell(
                    Named.done(type + " stays", api.call("DELETE", pathOf(type))),
                    "Nothing of %s is taken any more.".formatted(type));
        }
    }
}
