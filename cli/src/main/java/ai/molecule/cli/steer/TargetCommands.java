package ai.molecule.cli.steer;

import ai.molecule.cli.Columns;
import ai.molecule.cli.Console;
import ai.molecule.cli.HiddenInput;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.Shell;
import ai.molecule.cli.http.Named;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.cli.http.PlatformCommand;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Who is told of what waits for a person, and by which way. */
final class TargetCommands {

    private static final String PATH = "/notifications/targets";
    private static final String BOT = "/notifications/telegram";
    private static final String LIST = "./molecule target list";

    private TargetCommands() {}

    static CommandLine group(Console console, MoleculeHome home, InputStream in) {
        var spec = CommandSpec.create().name("target").aliases("targets");
        spec.usageMessage().description("Manage notification channels: webhook, Slack, ntfy, mail and Telegram.");
        return new CommandLine(spec)
                .addSubcommand(new TargetListing(console, home))
                .addSubcommand(new TargetAddition(console, home, in))
                .addSubcommand(new TargetChange(console, home, in))
                .addSubcommand(new TargetTrial(console, home))
                .addSubcommand(new TargetRemoval(console, home))
                .addSubcommand(new BotCommand(console, home, in));
    }

    @Command(name = "list", description = "List notification channels and whether their last delivery succeeded.")
    private static final class TargetListing extends PlatformCommand {

        TargetListing(Console console, MoleculeHome home) {
            super(console, home);
        }

        @Override
        protected int steer(PlatformApi api) throws IOException {
            var targets = api.list(PATH);
            if (json) {
                console.out(targets.encode());
                return 0;
            }
            var rows = new Columns("NAME", "FOR", "BY", "WAITING", "TOOK IT LAST", "WHAT IS WRONG", "ID");
            for (Object each : targets) {
                var target = (JsonObject) each;
                String wrong = target.getString("last_error");
                rows.row(
                        target.getString("name", ""),
                        target.getString("who", ""),
                        target.getString("channel", ""),
                        String.valueOf(target.getInteger("waiting", 0)),
                        SecretCommands.moment(target.getString("delivered_at")),
                        wrong == null ? target.getBoolean("enabled", true) ? "-" : "switched off" : wrong,
                        target.getString("id", ""));
            }
            rows.print(console);
            return 0;
        }
    }

    @Command(
            name = "add",
            description = "Add a notification channel: it receives each new inbox item once, with a link.",
            footer = {
                "",
                "Members are those of docs/wire/events.md, Notifications: kinds, quiet_from, quiet_to, digest_at, zone,",
                "deputy, deputy_until; of mails from, to, user, plain. " + Members.VALUE
            })
    private static final class TargetAddition extends PlatformCommand {

        @Parameters(index = "0", paramLabel = "NAME", description = "Name")
        private String name = "";

        @Parameters(index = "1", paramLabel = "CHANNEL", description = "webhook, slack, ntfy or email")
        private String channel = "";

        @Parameters(index = "2..*", paramLabel = "MEMBER=VALUE", description = "Further settings (docs/cli.md)")
        private List<String> members = new ArrayList<>();

        @Option(names = "--who", paramLabel = "PERSON", description = "Recipient: a person or role. Default: the name")
        private @Nullable String who;

        @Option(
                names = "--to",
                paramLabel = "URL",
                description = "Address: URL of a webhook, ntfy topic or mail server")
        private @Nullable String url;

        @Option(
                names = "--secret",
                description =
                        "Asks for its secret, or reads it from standard input: what signs, Slack's URL, a token, a password")
        private boolean secret;

        private final InputStream in;

        TargetAddition(Console console, MoleculeHome home, InputStream in) {
            super(console, home);
            this.in = in;
        }

        @Override
        protected int steer(PlatformApi api) throws IOException {
            var wanted = Members.of(members)
                    .put("name", name)
                    .put("who", who == null ? name : who)
                    .put("channel", channel);
            Named.putIfGiven(wanted, "url", url);
            Named.putIfGiven(wanted, "secret", secret ? HiddenInput.read("Secret", in) : null);
            var made = Named.done("Nobody was added", api.call("POST", PATH, wanted));
            return tell(
                    made,
                    "%s is told from now on (%s); ./molecule target test %s tries it."
                            .formatted(name, made.getString("id", ""), Shell.quoted(name)));
        }
    }

    @Command(
            name = "set",
            description = "Change a notification channel.",
            footer = {"", Members.VALUE})
    private static final class TargetChange extends PlatformCommand {

        @Parameters(index = "0", paramLabel = "TARGET", description = "Name, or the first characters of the id")
        private String target = "";

        @Parameters(index = "1..*", paramLabel = "MEMBER=VALUE", description = "Settings to change")
        private List<String> members = new ArrayList<>();

        @Option(names = "--secret", description = "Ask for a new secret, or read it from standard input")
        private boolean secret;

        private final InputStream in;

        TargetChange(Console console, MoleculeHome home, InputStream in) {
            super(console, home);
            this.in = in;
        }

        @Override
        protected void check() {
            if (members.isEmpty() && !secret) {
                throw LaunchFailure.usersTurn("Say what is to be another, as MEMBER=VALUE or with --secret.");
            }
        }

        @Override
        protected int steer(PlatformApi api) throws IOException {
            var wanted = Members.of(members);
            String id = Members.idOf(api.list(PATH), "name", target, LIST);
            Named.putIfGiven(wanted, "secret", secret ? HiddenInput.read("Secret", in) : null);
            return tell(
                    Named.done(target + " stays as it is", api.call("PATCH", PATH + "/" + id, wanted)),
                    target + " is changed.");
        }
    }

    @Command(name = "test", description = "Send a test notification and say whether it was delivered.")
    private static final class TargetTrial extends PlatformCommand {

        @Parameters(paramLabel = "TARGET", description = "Name, or the first characters of the id")
        private String target = "";

        TargetTrial(Console console, MoleculeHome home) {
            super(console, home);
        }

        @Override
        protected int steer(PlatformApi api) throws IOException {
            String id = Members.idOf(api.list(PATH), "name", target, LIST);
            return tell(
                    Named.done(target + " did not take it", api.call("POST", PATH + "/" + id + "/test")),
                    target + " took it.");
        }
    }

    @Command(name = "rm", description = "Delete a notification channel and its waiting notifications.")
    private static final class TargetRemoval extends PlatformCommand {

        @Parameters(paramLabel = "TARGET", description = "Name, or the first characters of the id")
        private String target = "";

        TargetRemoval(Console console, MoleculeHome home) {
            super(console, home);
        }

        @Override
        protected int steer(PlatformApi api) throws IOException {
            String id = Members.idOf(api.list(PATH), "name", target, LIST);
            return tell(
                    Named.done(target + " stays", api.call("DELETE", PATH + "/" + id)),
                    target + " is told nothing any more.");
        }
    }

    @Command(
            name = "bot",
            description = "Show, set or remove the Telegram bot that people get notifications from and answer.",
            footer = {"", "Who is linked there, by a code of the page: docs/people.md."})
    private static final class BotCommand extends PlatformCommand {

        @Option(names = "--set", description = "Ask for the token of a bot, or read it from standard input")
        private boolean set;

        @Option(names = "--to", paramLabel = "URL", description = "Telegram server. Default: https://api.telegram.org")
        private @Nullable String url;

        @Option(names = "--remove", description = "Remove the bot and all linked chats")
        private boolean remove;

        private final InputStream in;

        BotCommand(Console console, MoleculeHome home, InputStream in) {
            super(console, home);
            this.in = in;
        }

        @Override
        protected void check() {
            if (set && remove || url != null && !set) {
                throw LaunchFailure.usersTurn("--to goes with --set, and --remove alone.");
            }
        }

        @Override
        protected int steer(PlatformApi api) throws IOException {
            if (remove) {
                return tell(Named.done("The bot stays", api.call("DELETE", BOT)), "There is no bot any more.");
            }
            if (set) {
                var wanted = new JsonObject().put("secret", HiddenInput.read("Token", in));
                Named.putIfGiven(wanted, "url", url);
                return tell(Named.done("There is no other bot", api.call("PUT", BOT, wanted)), "The bot is read now.");
            }
            var shown = Named.done("Of the bot nothing is known", api.call("GET", BOT));
            if (json) {
                console.out(shown.encode());
                return 0;
            }
            String bot = shown.getString("bot");
            String wrong = shown.getString("last_error");
            console.say(
                    bot == null
                            ? "There is no bot; --set gives one."
                            : "Bot %s at %s, %s; linked: %s."
                                    .formatted(
                                            bot,
                                            shown.getString("url", ""),
                                            wrong == null
                                                    ? "heard " + SecretCommands.moment(shown.getString("heard_at"))
                                                    : wrong,
                                            String.join(
                                                    ", ",
                                                    shown.getJsonArray("people").stream()
                                                            .map(String::valueOf)
                                                            .toList())));
            return 0;
        }
    }
}
