package ai.molecule.cli.http;

import ai.molecule.cli.Console;
import ai.molecule.cli.MoleculeHome;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What commands that steer have in common: one platform, which is asked once, and output for people or for programs. */
public abstract class PlatformCommand implements Callable<Integer> {

    @Mixin
    private PlatformOptions platform = new PlatformOptions();

    @Option(names = "--json", description = "Print the answer of the platform as JSON (docs/cli.md).")
    protected boolean json;

    protected final Console console;
    protected final MoleculeHome home;

    protected PlatformCommand(Console console, MoleculeHome home) {
        this.console = console;
        this.home = home;
    }

    @Override
    public final Integer call() throws IOException {
        console.repeat(platform.repeated());
        check();
        return platform.ask(home, System.getenv(), this::steer);
    }

    /** @throws ai.molecule.cli.LaunchFailure for arguments that do not go together */
    protected void check() throws IOException {}

    /** @return the exit code */
    protected abstract int steer(PlatformApi api) throws IOException;

    /** What was done: the answer for programs, a sentence for people. */
    protected final int tell(JsonObject answer, String sentence) {
        if (json) {
            console.out(answer.encode());
        } else {
            console.say(sentence);
        }
        return 0;
    }

    /** Which platform was meant. */
    protected final PlatformOptions platform() {
        return platform;
    }
}
