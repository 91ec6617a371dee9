package ai.molecule.cli.doors;

import ai.molecule.cli.Console;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.http.Named;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.cli.http.PlatformOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The organisation's keys, with which the platform signs; alone it explains itself. */
@Command(name = "keys", description = "Export and rotate the signing keys of the platform.")
public final class KeysCommand implements Runnable {

    private static final String PATH = "/.well-known/jwks.json";

    @Spec
    private CommandSpec spec = CommandSpec.create();

    private final Console console;
    private final MoleculeHome home;

    public KeysCommand(Console console, MoleculeHome home) {
        this.console = console;
        this.home = home;
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Missing required subcommand");
    }

    @Command(name = "export", description = "Export the public keys to a file, for audit verify --keys.")
    int export(@Mixin PlatformOptions platform, @Parameters(paramLabel = "FILE") Path file) {
        return platform.ask(home, System.getenv(), api -> {
            try (var keys = api.read(PATH, "application/json")) {
                Files.copy(keys, file);
            }
            console.say("The public keys are in %s; keep it where nobody who may write to the database does."
                    .formatted(file));
            return 0;
        });
    }

    @Command(
            name = "rotate",
            description = "Replace the signing key in two minutes and retire the present one after that.")
    int rotate(
            @Mixin PlatformOptions platform,
            @Option(names = "--at-once", description = "The present key is believed no more: somebody else may have it")
                    boolean atOnce,
            @Option(names = "--json", description = "Print what the platform answered, as JSON.") boolean json) {
        return platform.ask(home, System.getenv(), api -> rotate(api, atOnce, json));
    }

    private int rotate(PlatformApi api, boolean atOnce, boolean json) throws IOException {
        String path = "/admin/keys/rotate" + (atOnce ? "?at_once=1" : "");
        var rotated = Named.done("The keys stay as they are", api.call("POST", path));
        if (json) {
            console.out(rotated.encode());
            return 0;
        }
        console.say("The key %s signs from %s; those before it are believed until %s."
                .formatted(
                        rotated.getString("kid", ""),
                        rotated.getString("signs_from", ""),
                        rotated.getString("retires_at", "")));
        return 0;
    }
}
