package ai.molecule.cli.steer;

import ai.molecule.cli.Console;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.http.Named;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.cli.http.PlatformCommand;
import java.io.IOException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** What one word does to one agent. */
@Command
final class AgentVerb extends PlatformCommand {

    /** The words. */
    enum Verb {
        PAUSE("pause", "Stop an agent and all agents below it until they are resumed.", "is paused"),
        RESUME("resume", "Start a paused agent and all agents below it.", "is being started"),
        RESTART("restart", "Restart an agent.", "is being restarted"),
        HIBERNATE("hibernate", "Hibernate an idle agent until the next message wakes it.", "sleeps"),
        WAKE("wake", "Wake a hibernated agent.", "is being woken");

        private final String word;
        private final String description;
        private final String done;

        Verb(String word, String description, String done) {
            this.word = word;
            this.description = description;
            this.done = done;
        }
    }

    @Parameters(paramLabel = "NAME|ID", description = "The agent")
    private String agent = "";

    private final Verb verb;

    private AgentVerb(Verb verb, Console console, MoleculeHome home) {
        super(console, home);
        this.verb = verb;
    }

    static CommandLine of(Verb verb, Console console, MoleculeHome home) {
        var command = new CommandLine(new AgentVerb(verb, console, home));
        command.getCommandSpec().name(verb.word).usageMessage().description(verb.description);
        return command;
    }

    @Override
    protected int steer(PlatformApi api) throws IOException {
        String id = Named.idOf(api, agent);
        var answer = Named.done(
                "%s stays as it is".formatted(agent), api.call("POST", "/workspaces/" + id + "/" + verb.word));
        if (json) {
            console.out(answer.encode());
        } else {
            console.say("%s (%s) %s; ./molecule ps shows how it is.".formatted(agent, id, verb.done));
        }
        return 0;
    }
}
