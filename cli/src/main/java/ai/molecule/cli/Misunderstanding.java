package ai.molecule.cli;

import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** What was typed and is not understood: what is wrong with it, what may have been meant, and where to look. Never the whole help. */
record Misunderstanding(Console console) implements IParameterExceptionHandler {

    @Override
    public int handleParseException(ParameterException failure, String[] args) {
        CommandLine command = failure.getCommandLine();
        String name = command.getCommandSpec().qualifiedName();
        console.say(sentence(failure, command));
        boolean group = !command.getSubcommands().isEmpty();
        console.say("Usage: %s%s; ./%s --help explains it."
                .formatted(name, group ? " COMMAND" : " " + parameters(command), name));
        return command.getCommandSpec().exitCodeOnInvalidInput();
    }

    private static String sentence(ParameterException failure, CommandLine command) {
        if (failure instanceof UnmatchedArgumentException unmatched) {
            String first = unmatched.getUnmatched().getFirst();
            String what =
                    first.startsWith("-") ? "option" : command.getSubcommands().isEmpty() ? "argument" : "command";
            List<String> near = near(unmatched, command, what);
            return "There is no %s %s%s"
                    .formatted(what, first, near.isEmpty() ? "." : "; did you mean " + String.join(" or ", near) + "?");
        }
        String message = String.valueOf(failure.getMessage());
        return message.endsWith(".") ? message : message + ".";
    }

    private static List<String> near(UnmatchedArgumentException unmatched, CommandLine command, String what) {
        return switch (what) {
            case "command" ->
                NearMiss.of(
                        unmatched.getUnmatched().getFirst(),
                        command.getSubcommands().keySet());
            case "option" ->
                NearMiss.of(
                        unmatched.getUnmatched().getFirst(),
                        command.getCommandSpec().optionsMap().keySet());
            default -> List.of();
        };
    }

    private static String parameters(CommandLine command) {
        var words = new StringBuilder();
        command.getCommandSpec()
                .positionalParameters()
                .forEach(each -> words.append(
                                each.arity().min() == 0 ? "[" + each.paramLabel() + "]" : each.paramLabel())
                        .append(' '));
        return words + "[OPTIONS]";
    }
}
