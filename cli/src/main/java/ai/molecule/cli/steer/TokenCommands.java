package ai.molecule.cli.steer;

import ai.molecule.cli.Columns;
import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.http.Named;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.cli.http.PlatformCommand;
import ai.molecule.cli.http.TimeSpan;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Credentials: of one agent, or of the organisation, which open what an administrator may open. */
final class TokenCommands {

    private TokenCommands() {}

    static CommandLine group(Console console, MoleculeHome home) {
        var spec = CommandSpec.create().name("token");
        spec.usageMessage().description("Create, list and revoke API tokens of an agent or of the organization.");
        return new CommandLine(spec)
                .addSubcommand(new TokenCreation(console, home))
                .addSubcommand(new TokenListing(console, home))
                .addSubcommand(new TokenRevocation(console, home));
    }

    private abstract static class TokensOfHolder extends PlatformCommand {

        @Option(names = "--agent", paramLabel = "NAME|ID", description = "Tokens of this agent.")
        @Nullable
        String agent;

        @Option(names = "--org", description = "Tokens of the organization, with the rights of ADMIN_TOKEN.")
        boolean organisation;

        TokensOfHolder(Console console, MoleculeHome home) {
            super(console, home);
        }

        @Override
        protected void check() {
            if (organisation == (agent != null)) {
                throw LaunchFailure.usersTurn("Say whose tokens: either --agent NAME or --org.");
            }
        }

        final String path(PlatformApi api) throws IOException {
            return agent == null ? "/org/tokens" : "/workspaces/" + Named.idOf(api, agent) + "/tokens";
        }

        final String whose() {
            return agent == null ? "the organisation" : agent;
        }

        final List<JsonObject> rows(PlatformApi api) throws IOException {
            return listed(api).getJsonArray("tokens", new JsonArray()).stream()
                    .map(JsonObject.class::cast)
                    .toList();
        }

        /** At most so many, which is all there can be of one agent. */
        final JsonObject listed(PlatformApi api) throws IOException {
            return Named.done(
                    "The tokens of " + whose() + " are not known",
                    api.call("GET", path(api) + (agent == null ? "" : "?limit=200")));
        }
    }

    @Command(name = "create", description = "Create an API token and print it once.")
    private static final class TokenCreation extends TokensOfHolder {

        @Option(names = "--name", paramLabel = "NAME", description = "What a token of the organization is for.")
        private @Nullable String name;

        @Option(
                names = "--expires",
                paramLabel = "SPAN",
                description = "Lifetime of an agent's token, such as 90s, 30m, 24h or 7d. Default: set by the platform")
        private @Nullable String expires;

        TokenCreation(Console console, MoleculeHome home) {
            super(console, home);
        }

        @Override
        protected void check() {
            super.check();
            if (agent == null ? expires != null : name != null) {
                throw LaunchFailure.usersTurn("--name goes with --org, and --expires with --agent.");
            }
        }

        @Override
        protected int steer(PlatformApi api) throws IOException {
            var wanted = new JsonObject();
            Named.putIfGiven(wanted, "name", name);
            Named.putIfGiven(
                    wanted,
                    "expires_in_seconds",
                    expires == null ? null : TimeSpan.of("--expires", expires).toSeconds());
            var made = Named.done("No token was made", api.call("POST", path(api), wanted));
            console.out(json ? made.encode() : made.getString("auth_token", ""));
            if (!json) {
                console.say("Nobody is shown this token of " + whose() + " again.");
            }
            return 0;
        }
    }

    @Command(name = "list", description = "List valid API tokens by how they begin.")
    private static final class TokenListing extends TokensOfHolder {

        TokenListing(Console console, MoleculeHome home) {
            super(console, home);
        }

        @Override
        protected int steer(PlatformApi api) throws IOException {
            if (json) {
                console.out(listed(api).encode());
                return 0;
            }
            var columns = new Columns("TOKEN", "NAME", "MADE", "LAST USED", "ID");
            for (JsonObject token : rows(api)) {
                columns.row(
                        token.getString("prefix", "") + "…",
                        token.getString("name", "-"),
                        SecretCommands.moment(token.getString("created_at")),
                        SecretCommands.moment(token.getString("last_used_at")),
                        token.getString("id", ""));
            }
            columns.print(console);
            return 0;
        }
    }

    @Command(name = "rm", description = "Revoke an API token at once.")
    private static final class TokenRevocation extends TokensOfHolder {

        @Parameters(paramLabel = "TOKEN", description = "First characters of the token, or its id, as list shows them")
        private String token = "";

        TokenRevocation(Console console, MoleculeHome home) {
            super(console, home);
        }

        @Override
        protected int steer(PlatformApi api) throws IOException {
            String wanted = token.replace("…", "");
            List<String> meant = rows(api).stream()
                    .filter(row -> !wanted.isEmpty()
                            && (row.getString("id", "").startsWith(wanted)
                                    || row.getString("prefix", "").startsWith(wanted)
                                    || wanted.startsWith(row.getString("prefix", wanted + "-"))))
                    .map(row -> row.getString("id", ""))
                    .distinct()
                    .toList();
            if (meant.size() != 1) {
                throw LaunchFailure.usersTurn(
                        (meant.isEmpty() ? "No token of %s begins so" : "Several tokens of %s begin so")
                                        .formatted(whose())
                                + "; ./molecule token list shows them with their ids.");
            }
            return tell(
                    Named.done("The token still holds", api.call("DELETE", path(api) + "/" + meant.getFirst())),
                    "The token is revoked.");
        }
    }
}
