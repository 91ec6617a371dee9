package ai.molecule.cli.completion;

import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/**
 * The help of every command in one text, which the launcher script reads by itself: so that a question about the command never builds anything,
 * and is answered at once. A line {@code == words} begins each, one for each of its names.
 */
final class KeptHelp {

    private KeptHelp() {}

    static String of(CommandLine root) {
        var text = new StringBuilder();
        for (CommandTree each : CommandTree.of(root)) {
            each.ways().forEach(way -> text.append("== ").append(way).append('\n'));
            text.append(each.command().getUsageMessage(Ansi.OFF).stripTrailing())
                    .append('\n');
        }
        return text.toString().replace(System.lineSeparator(), "\n");
    }
}
