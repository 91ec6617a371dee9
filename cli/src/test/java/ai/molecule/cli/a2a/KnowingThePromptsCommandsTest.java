package ai.molecule.cli.a2a;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.cli.Console;
import ai.molecule.runtime.tools.PromptBlocks;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** An agent with a shell is told of commands: they must exist as it is told. */
class KnowingThePromptsCommandsTest {

    private static final String COMMAND = "    molecule a2a ";

    @Test
    void every_command_an_agent_is_told_of_is_one() {
        CommandLine a2a = A2aCommand.with(new Console(System.out, System.err), Map.of());
        List<String> told = PromptBlocks.A2A_FOR_A_SHELL
                .lines()
                .filter(line -> line.startsWith(COMMAND))
                .map(line -> line.substring(COMMAND.length()))
                .toList();

        assertThat(told).hasSize(5);
        for (String line : told) {
            String[] words = line.split(" ", -1);
            assertThat(a2a.getSubcommands()).containsKey(words[0]);
            var command = requireNonNull(a2a.getSubcommands().get(words[0])).getCommandSpec();
            for (int i = 1; i < words.length; i++) {
                if (words[i].startsWith("--")) {
                    assertThat(command.optionsMap()).containsKey(words[i]);
                }
            }
            long places =
                    List.of(words).stream().filter(word -> word.startsWith("<")).count();
            assertThat(command.positionalParameters().size()).isGreaterThanOrEqualTo((int) Math.min(places, 1));
        }
    }
}
