package ai.molecule.cli.steer;

import ai.molecule.cli.Console;
import ai.molecule.cli.MoleculeHome;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine;

/** Every command of this package. */
public final class SteeringCommands {

    private SteeringCommands() {}

    public static List<CommandLine> all(Console console, MoleculeHome home) {
        var all = new ArrayList<CommandLine>();
        all.add(new CommandLine(new SayCommand(console, home)));
        all.add(new CommandLine(new InboxCommand(console, home)));
        all.add(DecideCommand.approve(console, home));
        all.add(DecideCommand.deny(console, home));
        all.add(new CommandLine(new CreateCommand(console, home)));
        Arrays.stream(AgentVerb.Verb.values())
                .map(verb -> AgentVerb.of(verb, console, home))
                .forEach(all::add);
        all.add(new CommandLine(new MoveCommand(console, home)));
        all.add(new CommandLine(new ModelCommand(console, home)));
        all.add(new CommandLine(new AliasCommand(console, home)));
        all.add(new CommandLine(new RemoveCommand(console, home)));
        all.add(new CommandLine(new EventsCommand(console, home)));
        all.add(new CommandLine(new UsageCommand(console, home)));
        return all;
    }
}
