package ai.molecule.cli.completion;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Every command that is shown to people.
 *
 * @param words that lead to it
 * @param ways the same joined, and every other: some commands have two names
 */
record CommandTree(List<String> words, List<String> ways, CommandLine command) {

    /** In the order of their names, each before what is below it; the first has no words. */
    static List<CommandTree> of(CommandLine root) {
        var all = new ArrayList<CommandTree>();
        gather(new CommandTree(List.of(), List.of(""), root), all);
        return all;
    }

    private static void gather(CommandTree at, List<CommandTree> all) {
        all.add(at);
        at.below().forEach(each -> gather(each, all));
    }

    /** Once each, however many names they have. */
    List<CommandTree> below() {
        return new LinkedHashSet<>(command.getSubcommands().values())
                .stream()
                        .filter(each -> !each.getCommandSpec().usageMessage().hidden())
                        .sorted(Comparator.comparing(CommandLine::getCommandName))
                        .map(each -> {
                            var longer = new ArrayList<>(words);
                            longer.add(each.getCommandName());
                            return new CommandTree(List.copyOf(longer), ways(each), each);
                        })
                        .toList();
    }

    private List<String> ways(CommandLine next) {
        return ways.stream()
                .flatMap(way -> next.getCommandSpec().names().stream().map(name -> (way + " " + name).strip()))
                .sorted()
                .toList();
    }

    /** Without those that are hidden. */
    List<OptionSpec> options() {
        return command.getCommandSpec().options().stream()
                .filter(option -> !option.hidden())
                .toList();
    }

    /** In one line, with what it says of its defaults put in. */
    String description() {
        return joined(command.getCommandSpec().usageMessage().description());
    }

    static String descriptionOf(OptionSpec option) {
        return joined(option.description())
                .replace("${DEFAULT-VALUE}", option.defaultValueString())
                .replace("${COMPLETION-CANDIDATES}", String.join(", ", candidates(option)));
    }

    static List<String> candidates(OptionSpec option) {
        var all = new ArrayList<String>();
        if (option.completionCandidates() != null) {
            option.completionCandidates().forEach(all::add);
        }
        return all;
    }

    private static String joined(String... lines) {
        return List.of(lines).stream().filter(line -> !line.isBlank()).collect(Collectors.joining(" "));
    }
}
