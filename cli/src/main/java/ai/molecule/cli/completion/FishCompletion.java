package ai.molecule.cli.completion;

import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** What fish is told: which words may follow which, with what each does. */
final class FishCompletion {

    private FishCompletion() {}

    static String of(CommandLine root) {
        String name = root.getCommandName();
        var text = new StringBuilder("""
                # Completion of %1$s for fish; made by %1$s completion fish.
                # Whether the words so far that are no options begin with these, and with none of those that lead further.
                function __%1$s_at
                    set -l said (string match --invert --regex '^-' -- (commandline -opc))[2..]
                    set -l at (string split -n ' ' -- $argv[1])
                    set -l n (count $at)
                    if test $n -gt 0
                        test (count $said) -ge $n; or return 1
                        test "$said[1..$n]" = "$argv[1]"; or return 1
                    end
                    set -l next $said[(math $n + 1)]
                    test -z "$next"; or not contains -- $next $argv[2..]
                end
                complete -c %1$s -f
                """.formatted(name));
        CommandTree.of(root).forEach(each -> tell(text, name, each));
        return text.toString();
    }

    private static void tell(StringBuilder text, String name, CommandTree at) {
        var below = at.below();
        String words = String.join(" ", at.words());
        String further =
                below.stream().map(each -> " " + each.words().getLast()).collect(Collectors.joining());
        String begins =
                "complete -c %s -n %s".formatted(name, quoted("__%s_at '%s'%s".formatted(name, words, further)));
        for (CommandTree each : below) {
            text.append("%s -a %s -d %s%n".formatted(begins, each.words().getLast(), quoted(each.description())));
        }
        at.options().forEach(option -> text.append(begins).append(flags(option)).append('\n'));
        boolean takesFiles = at.command().getCommandSpec().positionalParameters().stream()
                .anyMatch(each -> each.paramLabel().matches("FILE|PATH|DIR|FOLDER"));
        if (takesFiles && below.isEmpty()) {
            text.append(begins).append(" -F\n");
        }
    }

    private static String flags(OptionSpec option) {
        var flags = new StringBuilder();
        for (String one : option.names()) {
            flags.append(one.startsWith("--") ? " -l " + one.substring(2) : " -s " + one.substring(1));
        }
        if (option.arity().max() > 0) {
            var candidates = CommandTree.candidates(option);
            boolean file = option.paramLabel().matches("FILE|PATH|DIR");
            flags.append(option.arity().min() > 0 ? " -r" : "").append(file ? " -F" : "");
            if (!candidates.isEmpty()) {
                flags.append(" -a ").append(quoted(String.join(" ", candidates)));
            }
        }
        return flags.append(" -d ")
                .append(quoted(CommandTree.descriptionOf(option)))
                .toString();
    }

    private static String quoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
