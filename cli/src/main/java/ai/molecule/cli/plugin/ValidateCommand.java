package ai.molecule.cli.plugin;

import ai.molecule.cli.Console;
import ai.molecule.sdk.plugins.Complaint;
import ai.molecule.sdk.plugins.PluginValidation;
import ai.molecule.sdk.plugins.TemplateValidation;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Says what is wrong with plugins, workspace templates, organisations and channels. */
@Command(
        name = "validate",
        description = "Validate plugins, workspace templates, organizations or channels.",
        footer = {"", "Exit codes: 0 nothing is wrong, 1 something is, 2 the command was not understood."})
public final class ValidateCommand implements Callable<Integer> {

    private static final String PLUGIN = "plugin";
    private static final Map<String, Function<Path, List<Complaint>>> KINDS = Map.of(
            PLUGIN,
            PluginValidation::of,
            "workspace",
            TemplateValidation::workspace,
            "org",
            TemplateValidation::org,
            "channel",
            TemplateValidation::channel);

    @Parameters(
            arity = "1..*",
            paramLabel = "[KIND] PATH",
            description = "plugin (the default), workspace, org or channel; then folders or files")
    private List<String> words = List.of();

    @Option(
            names = {"-q", "--quiet"},
            description = "Say nothing when nothing is wrong.")
    private boolean quiet;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    private final Console console;

    public ValidateCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        boolean named = KINDS.containsKey(words.get(0));
        String kind = named ? words.get(0) : PLUGIN;
        List<String> paths = named ? words.subList(1, words.size()) : words;
        if (paths.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "Missing the path of a " + kind);
        }
        boolean good = true;
        for (String path : paths) {
            good &= check(kind, path);
        }
        return good ? 0 : 1;
    }

    private boolean check(String kind, String path) {
        List<Complaint> complaints =
                KINDS.getOrDefault(kind, PluginValidation::of).apply(Path.of(path));
        complaints.forEach(wrong -> console.say("✗ " + wrong.file() + ": " + wrong.message()));
        if (complaints.isEmpty() && !quiet) {
            console.out("✓ " + path + ": valid " + kind);
        }
        return complaints.isEmpty();
    }
}
