package ai.molecule.cli.completion;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.cli.EveryCommand;
import ai.molecule.cli.Screen;
import ai.molecule.testkit.Documents;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What shells complete, asked of bash itself; and the texts that are kept of the command, which are those of today. */
class CompletingWordsTest {

    @TempDir
    Path temp;

    private final Screen screen = new Screen();

    @Test
    void bash_completes_commands_subcommands_and_options() throws Exception {
        var script = temp.resolve("molecule.bash");
        assertThat(run("completion", "bash")).isZero();
        Files.writeString(script, screen.out());

        assertThat(completed(script, "molecule", "de")).contains("deny", "delegate", "dev");
        assertThat(completed(script, "molecule", "secret", "r")).containsExactlyInAnyOrder("rm", "rotate");
        assertThat(completed(script, "molecule", "events", "--f")).containsExactly("--follow");
        assertThat(completed(script, "molecule", "up", "--env", "p")).containsExactly("production");
    }

    @Test
    void zsh_takes_the_text_of_bash_and_fish_has_one_of_its_own() {
        assertThat(run("completion", "zsh")).isZero();
        assertThat(run("completion", "fish")).isZero();
        assertThat(run("completion", "tcsh")).isEqualTo(2);

        assertThat(screen.out())
                .contains("bashcompinit")
                .contains("complete -c molecule -n '__molecule_at \\'secret\\' list rm rotate set' -a rotate -d '")
                .contains("complete -c molecule -n '__molecule_at \\'events\\'' -s f -l follow")
                .doesNotContain("rehearse");
    }

    /** Where they are not: {@code ./molecule reference docs/man}. */
    @Test
    void the_kept_help_and_the_manual_are_those_of_the_command() throws IOException {
        assertThat(run("reference", temp.toString())).isZero();

        assertThat(Documents.MAN.resolve("help.txt")).hasSameTextualContentAs(temp.resolve("help.txt"));
        assertThat(Documents.MAN.resolve("molecule.1")).hasSameTextualContentAs(temp.resolve("molecule.1"));
    }

    @Test
    void docs_and_help_tell_of_every_command() throws IOException {
        String told = Files.readString(Documents.CLI);
        run("--help");

        assertThat(CommandTree.of(EveryCommand.of(screen.console(), temp)).stream()
                        .skip(1)
                        .map(each -> each.words().getFirst())
                        .distinct())
                .allSatisfy(word -> assertThat(told).containsPattern("`" + word + "[` ]"))
                .allSatisfy(word -> assertThat(screen.out()).contains("\n  " + word + " "));
    }

    private int run(String... words) {
        return EveryCommand.of(screen.console(), temp).execute(words);
    }

    /** As bash asks when Tab is pressed after the last of these. */
    private List<String> completed(Path script, String... words) throws IOException, InterruptedException {
        String said = String.join(" ", words);
        var answer = temp.resolve("answer");
        var bash = new ProcessBuilder(
                        "bash",
                        "--norc",
                        "-c",
                        "source '%s'; COMP_WORDS=(%s); COMP_CWORD=%d; COMP_LINE='%s'; COMP_POINT=${#COMP_LINE}; _complete_molecule; printf '%%s\\n' \"${COMPREPLY[@]}\""
                                .formatted(script, said, words.length - 1, said))
                .redirectError(ProcessBuilder.Redirect.DISCARD) // compopt: nobody pressed Tab
                .redirectOutput(answer.toFile())
                .start();
        assertThat(bash.waitFor(120, TimeUnit.SECONDS)).isTrue();
        return Files.readAllLines(answer).stream()
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .toList();
    }
}
