package ai.molecule.cli.steer;

import ai.molecule.cli.Console;
import ai.molecule.cli.MoleculeHome;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine;

/** Every command of this package. {@code in}: where values are read that nobody may see. */
public final class SteeringCommands {

    private SteeringCommands() {}

    public static List<CommandLine> all(Console console, MoleculeHome home, InputStream in) {
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
        all.add(new CommandLine(new OpenCommand(console, home)));
        all.add(new CommandLine(new RemoveCommand(console, home)));
        all.add(new CommandLine(new EventsCommand(console, home)));
        all.add(new CommandLine(new UsageCommand(console, home)));
        all.add(new CommandLine(new BudgetCommand(console, home)));
        all.add(new CommandLine(new PriceCommand(console, home))
                .addSubcommand(new SignPricesCommand(console))
                .addSubcommand(new PriceKeyCommand(console)));
        all.add(new CommandLine(new DelegationCommand(console, home)));
        all.add(SecretCommands.group(console, home, in));
        all.add(TokenCommands.group(console, home));
        all.add(FileCommands.group(console, home));
        all.add(new CommandLine(new IdleCommand(console, home)));
        all.add(RuleCommands.group(console, home, in));
        all.add(TargetCommands.group(console, home, in));
        all.add(WebhookCommands.group(console, home, in));
        all.add(new CommandLine(new ConfigCommand(console, home)));
        all.add(new CommandLine(new ExportCommand(console, home)));
        return all;
    }
}
