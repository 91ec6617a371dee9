package ai.molecule.cli.doors;

import ai.molecule.cli.Console;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.http.Named;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.cli.http.PlatformOptions;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What can be done with all secrets at once; alone it explains itself. */
@Command(name = "secrets", description = "Seals all secrets anew.")
public final class SecretsCommand implements Runnable {

    @Spec
    private CommandSpec spec = CommandSpec.create();

    private final Console console;
    private final MoleculeHome home;

    public SecretsCommand(Console console, MoleculeHome home) {
        this.console = console;
        this.home = home;
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Missing required subcommand");
    }

    @Command(name = "rotate", description = "Seals every secret anew with the platform's newest key.")
    int rotate(@Mixin PlatformOptions platform) {
        return platform.ask(home, System.getenv(), this::rotate);
    }

    private int rotate(PlatformApi api) throws IOException {
        var rotated = Named.done("The secrets stay as they are", api.call("POST", "/admin/secrets/rotate"));
        console.say("%d secrets are sealed with the key %s now."
                .formatted(rotated.getInteger("rotated", 0), rotated.getString("key_id", "")));
        return 0;
    }
}
