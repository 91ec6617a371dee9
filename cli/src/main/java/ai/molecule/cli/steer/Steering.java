package ai.molecule.cli.steer;

import ai.molecule.cli.Console;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.cli.http.PlatformOptions;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What the commands of this package have in common: one platform, which is asked once, and output for people or programs. */
abstract class Steering implements Callable<Integer> {

    @Mixin
    private PlatformOptions platform = new PlatformOptions();

    @Option(names = "--json", description = "Print what the platform answered, as one line of JSON.")
    boolean json;

    final Console console;
    private final MoleculeHome home;

    Steering(Console console, MoleculeHome home) {
        this.console = console;
        this.home = home;
    }

    @Override
    public final Integer call() {
        check();
        return platform.ask(home, environment(), this::steer);
    }

    /** @throws ai.molecule.cli.LaunchFailure for arguments that do not go together */
    void check() {}

    /** @return the exit code */
    abstract int steer(PlatformApi api) throws IOException;

    private static Map<String, String> environment() {
        return System.getenv();
    }
}
