package ai.molecule.cli.completion;

import java.util.Arrays;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** The manual's page, in the man macros that every man understands. */
final class ManPage {

    private ManPage() {}

    static String of(CommandLine root) {
        var page = new StringBuilder();
        String name = root.getCommandName();
        page.append(".\\\" Made by ./molecule reference; not edited by hand.\n");
        page.append(".TH MOLECULE 1 \"\" \"Molecule\" \"Molecule\"\n");
        page.append(".SH NAME\n%s \\- %s%n"
                .formatted(name, text(CommandTree.of(root).getFirst().description())));
        page.append(".SH SYNOPSIS\n.B %s\n.I COMMAND\n[\\fIOPTIONS\\fR]\n".formatted(name));
        page.append(".SH COMMANDS\n");
        CommandTree.of(root).stream().skip(1).forEach(each -> command(page, name, each));
        page.append("""
                .SH FILES
                .TP
                .I .molecule
                The data folder beside the launcher, of a release \\fI~/.local/share/molecule\\fR; \\fB\\-\\-data\\fR names another.
                .TP
                .I ~/.config/molecule/profiles
                Platforms elsewhere, with their tokens; readable by its owner only.
                .SH ENVIRONMENT
                .TP
                .B ADMIN_TOKEN
                The token of the platform that is spoken to.
                .TP
                .B MOLECULE_PROFILE
                Which profile is meant where nothing else is said.
                .TP
                .B MOLECULE_CONFIG
                Where the profiles are.
                .TP
                .B MOLECULE_ORG_ID
                The organisation of the platform that is spoken to.
                .TP
                .B NO_COLOR
                Set to anything, keeps colours out of help.
                .TP
                .B MOLECULE_JAVA_HOME
                The JDK to use.
                .SH EXIT STATUS
                0 done, 1 the platform failed, 2 something for you to change.
                """);
        return page.toString();
    }

    private static void command(StringBuilder page, String name, CommandTree at) {
        String words = name + " " + String.join(" ", at.words());
        page.append(".SS %s%n%s%n".formatted(text(words), text(at.description())));
        if (!at.below().isEmpty()) {
            return;
        }
        at.command().getCommandSpec().positionalParameters().forEach(each -> parameter(page, each));
        at.options().forEach(option -> option(page, option));
        Arrays.stream(at.command().getCommandSpec().usageMessage().footer())
                .filter(line -> !line.isBlank())
                .forEach(line -> page.append(".P\n").append(text(line)).append('\n'));
    }

    private static void parameter(StringBuilder page, PositionalParamSpec each) {
        page.append(".TP\n.I %s%n%s%n"
                .formatted(
                        text(each.paramLabel()),
                        text(String.join(" ", each.description())
                                .replace("${DEFAULT-VALUE}", each.defaultValueString()))));
    }

    private static void option(StringBuilder page, OptionSpec option) {
        String value = option.arity().max() > 0 ? " " + option.paramLabel() : "";
        page.append(".TP\n.B %s%n%s%n"
                .formatted(text(String.join(", ", option.names()) + value), text(CommandTree.descriptionOf(option))));
    }

    /** A line that begins with a point or an apostrophe would be one of roff's. */
    private static String text(String line) {
        String safe = line.replace("\\", "\\e").replace("-", "\\-");
        return safe.startsWith(".") || safe.startsWith("'") ? "\\&" + safe : safe;
    }
}
