package ai.molecule.cli.steer;

import ai.molecule.cli.Columns;
import ai.molecule.cli.Console;
import ai.molecule.cli.HiddenInput;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.http.Agent;
import ai.molecule.cli.http.Named;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.cli.http.PlatformCommand;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Secrets: of everybody, or of one agent. Their values go one way. */
final class SecretCommands {

    private SecretCommands() {}

    static CommandLine group(Console console, MoleculeHome home, InputStream in) {
        var spec = CommandSpec.create().name("secret").aliases("secrets");
        spec.usageMessage().description("List, set and delete secrets, and rotate their encryption key.");
        return new CommandLine(spec)
                .addSubcommand(new SecretListing(console, home))
                .addSubcommand(new SecretSetting(console, home, in))
                .addSubcommand(new SecretRemoval(console, home))
                .addSubcommand(new SecretSealing(console, home));
    }

    private abstract static class SecretsOfSomebody extends PlatformCommand {

        @Option(
                names = "--agent",
                paramLabel = "NAME|ID",
                description = "Secrets of this agent. Default: of all agents")
        @Nullable
        String agent;

        SecretsOfSomebody(Console console, MoleculeHome home) {
            super(console, home);
        }

        final String path(PlatformApi api) throws IOException {
            return agent == null ? "/settings/secrets" : "/workspaces/" + Named.idOf(api, agent) + "/secrets";
        }

        final String whose() {
            return agent == null ? "everybody" : agent;
        }
    }

    @Command(name = "list", description = "List the names of secrets, never their values.")
    private static final class SecretListing extends SecretsOfSomebody {

        private static final int NAMED_MAX = 10;

        SecretListing(Console console, MoleculeHome home) {
            super(console, home);
        }

        @Override
        protected int steer(PlatformApi api) throws IOException {
            var secrets = api.list(path(api));
            if (json) {
                console.out(secrets.encode());
                return 0;
            }
            if (secrets.isEmpty()) {
                console.say("There is no secret of " + whose() + ".");
                return 0;
            }
            var rows = new Columns("SECRET", "OF", "VALUE", "SET", "LAST USED");
            var names = names(api, secrets);
            var outdated = new ArrayList<String>();
            for (Object each : secrets) {
                var secret = (JsonObject) each;
                outdated(secret, names).ifPresent(outdated::add);
                rows.row(
                        secret.getString("key", ""),
                        "workspace".equals(secret.getString("scope")) ? whose() : of(secret),
                        secret.getString("store", "stored here"),
                        moment(secret.getString("updated_at")),
                        used(secret, names));
            }
            rows.print(console);
            outdated.forEach(console::say);
            return 0;
        }

        /** By id; asked for only where agents are named. */
        private static Map<String, String> names(PlatformApi api, JsonArray secrets) throws IOException {
            boolean named = secrets.stream()
                    .map(JsonObject.class::cast)
                    .anyMatch(secret -> secret.containsKey("last_read_by") || secret.containsKey("outdated"));
            return named ? api.agents().stream().collect(Collectors.toMap(Agent::id, Agent::name)) : Map.of();
        }

        private static String used(JsonObject secret, Map<String, String> names) {
            String by = secret.getString("last_read_by");
            return moment(secret.getString("last_read_at"))
                    + (by == null ? "" : " by " + names.getOrDefault(by, "a deleted agent"));
        }

        private static Optional<String> outdated(JsonObject secret, Map<String, String> names) {
            var ids = secret.getJsonArray("outdated", new JsonArray());
            return ids.isEmpty()
                    ? Optional.empty()
                    : Optional.of(
                            "%s: %s still %s an older value. Restart to use the new value: ./molecule agent restart NAME"
                                    .formatted(
                                            secret.getString("key", ""),
                                            ids.stream()
                                                            .limit(NAMED_MAX)
                                                            .map(id -> names.getOrDefault(
                                                                    String.valueOf(id), String.valueOf(id)))
                                                            .collect(Collectors.joining(", "))
                                                    + (ids.size() > NAMED_MAX ? " and more" : ""),
                                            ids.size() == 1 ? "has" : "have"));
        }

        private static String of(JsonObject secret) {
            var grants = secret.getJsonArray("grants");
            return grants == null ? "everybody" : "%d agents and those below".formatted(grants.size());
        }
    }

    /** To the minute. */
    static String moment(@Nullable String time) {
        return time == null
                ? "-"
                : time.length() < 16 ? time : time.substring(0, 16).replace('T', ' ');
    }

    @Command(
            name = "set",
            description = "Set a secret as a variable of its agents; they restart with it where that is needed.",
            footer = {
                "",
                "The value is asked for, or read from standard input; it is never an argument, which others can see.",
                "With --reference the value stays in another store, which the operator must have configured."
            })
    private static final class SecretSetting extends SecretsOfSomebody {

        @Parameters(paramLabel = "KEY", description = "Name, such as OPENAI_API_KEY")
        private String key = "";

        @Option(
                names = "--only",
                paramLabel = "NAME|ID",
                description = "Share the secret only with this agent and all agents below it; repeatable.")
        private List<String> only = new ArrayList<>();

        @Option(
                names = "--reference",
                paramLabel = "STORE:PATH",
                description =
                        "Where the value is: vault:MOUNT/data/PATH#FIELD, file:/PATH or exec:NAME. Only an owner of the organization may set it")
        @Nullable
        private String reference;

        private final InputStream in;

        SecretSetting(Console console, MoleculeHome home, InputStream in) {
            super(console, home);
            this.in = in;
        }

        @Override
        protected void check() {
            if (agent != null && !only.isEmpty()) {
                throw LaunchFailure.usersTurn(
                        "--agent gives it to one agent; --only says who may read one of everybody's.");
            }
        }

        @Override
        protected int steer(PlatformApi api) throws IOException {
            String path = path(api);
            var grants = new JsonArray();
            for (String one : only) {
                grants.add(Named.idOf(api, one));
            }
            var wanted = new JsonObject().put("key", key);
            if (reference == null) {
                wanted.put("value", HiddenInput.read(key, in));
            } else {
                wanted.put("reference", reference);
            }
            if (!grants.isEmpty()) {
                wanted.put("grants", grants);
            }
            return tell(
                    Named.done(key + " was not set", api.call("PUT", path, wanted)),
                    "%s of %s is set. Agents that cannot use a new value while they run restart with it."
                            .formatted(key, whose()));
        }
    }

    @Command(name = "rm", description = "Delete a secret; the agents that use it restart without it.")
    private static final class SecretRemoval extends SecretsOfSomebody {

        @Parameters(paramLabel = "KEY", description = "Name")
        private String key = "";

        SecretRemoval(Console console, MoleculeHome home) {
            super(console, home);
        }

        @Override
        protected int steer(PlatformApi api) throws IOException {
            String path = path(api) + "/" + PlatformApi.segment(key);
            return tell(
                    Named.done(key + " of " + whose() + " stays", api.call("DELETE", path)),
                    "%s of %s is removed.".formatted(key, whose()));
        }
    }

    @Command(name = "rotate", description = "Encrypt all secrets again with the newest key.")
    private static final class SecretSealing extends PlatformCommand {

        SecretSealing(Console console, MoleculeHome home) {
            super(console, home);
        }

        @Override
        protected int steer(PlatformApi api) throws IOException {
            var rotated = Named.done("The secrets stay as they are", api.call("POST", "/admin/secrets/rotate"));
            return tell(
                    rotated,
                    "%d secrets are sealed with the key %s now."
                            .formatted(rotated.getInteger("rotated", 0), rotated.getString("key_id", "")));
        }
    }
}
