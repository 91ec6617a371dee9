package ai.molecule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A command that is printed can be pasted: it means the platform that the command before it meant. */
class RepeatingOptionsInHintsTest {

    @TempDir
    private Path folder;

    private final Screen screen = new Screen();

    @Test
    void a_hint_names_the_data_folder_that_the_command_named() {
        Path data = folder.resolve("my notes");

        assertThat(execute("inbox", "--data", data.toString())).isEqualTo(2);

        assertThat(screen.err()).contains("start it with ./molecule up --data '" + data + "', or name a platform");
    }

    @Test
    void a_hint_repeats_an_option_only_to_commands_that_take_it() {
        var console = screen.console();
        MoleculeCommand.commandLine(console, new MoleculeHome(folder, folder.resolve("runtime.jar")));

        console.repeat(" --url http://127.0.0.1:1");
        assertThat(console.hint("./molecule approve a1, ./molecule token list shows them, ./molecule up starts one"))
                .isEqualTo("./molecule approve --url http://127.0.0.1:1 a1,"
                        + " ./molecule token list --url http://127.0.0.1:1 shows them, ./molecule up starts one");
    }

    @Test
    void a_command_in_somebodys_name_gets_no_options_that_would_end_its_quotes() throws Exception {
        var console = screen.console();
        MoleculeCommand.commandLine(console, new MoleculeHome(folder, folder.resolve("runtime.jar")));
        console.repeat(" --data '/my notes'");
        String name = "a ./molecule inbox;b 'c'";

        String hint = console.hint("./molecule inbox --dismiss " + Shell.quoted(name));

        var shell = new ProcessBuilder("sh", "-c", hint.replaceFirst("^\\S+", "printf '%s|'"))
                .redirectErrorStream(true)
                .start();
        shell.getOutputStream().close();
        assertThat(new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo("inbox|--data|/my notes|--dismiss|" + name + "|");
    }

    private int execute(String... words) {
        return MoleculeCommand.commandLine(screen.console(), new MoleculeHome(folder, folder.resolve("runtime.jar")))
                .execute(words);
    }
}
