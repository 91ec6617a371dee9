package ai.molecule.cli.completion;

import ai.molecule.cli.Console;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** What a shell is told of this command. */
@Command(
        name = "completion",
        description = "Print the completion script for a shell.",
        footer = {
            "",
            "bash, zsh:  source <(./molecule completion bash)     in ~/.bashrc or ~/.zshrc",
            "fish:       ./molecule completion fish > ~/.config/fish/completions/molecule.fish"
        })
public final class CompletionCommand implements Callable<Integer> {

    /** Those we know. */
    enum Shell {
        BASH,
        ZSH,
        FISH
    }

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(paramLabel = "SHELL", description = "${COMPLETION-CANDIDATES}")
    private Shell shell = Shell.BASH;

    private final Console console;

    public CompletionCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        CommandLine root = spec.root().commandLine();
        // One text for bash and zsh: it turns zsh's own completion of bash functions on.
        String text = shell == Shell.FISH ? FishCompletion.of(root) : AutoComplete.bash(root.getCommandName(), root);
        text.lines().forEach(console::out);
        return 0;
    }
}
