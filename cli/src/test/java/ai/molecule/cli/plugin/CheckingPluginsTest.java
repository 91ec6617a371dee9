package ai.molecule.cli.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.cli.Screen;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** {@code molecule plugin}: results on standard output, what is wrong on standard error, and the exit code says which. */
class CheckingPluginsTest {

    private final Screen screen = new Screen();

    @TempDir
    private Path folder;

    @Test
    void the_checksum_is_printed() {
        assertThat(new CommandLine(new Sha256Command(screen.console())).execute(folder.toString()))
                .isZero();
        assertThat(screen.out())
                .isEqualTo("Computed SHA256: 4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945\n");
    }

    @Test
    void what_is_no_folder_has_no_checksum() {
        assertThat(new CommandLine(new Sha256Command(screen.console())).execute(folder + "/nothing"))
                .isEqualTo(1);
        assertThat(screen.err()).startsWith("error: ");
    }

    @Test
    void a_valid_plugin_is_praised_unless_quiet() throws IOException {
        Files.writeString(folder.resolve("plugin.yaml"), "name: notes");

        assertThat(validate(folder.toString())).isZero();
        assertThat(screen.out()).isEqualTo("✓ " + folder + ": valid plugin\n");
        assertThat(validate("plugin", folder.toString(), "-q")).isZero();
        assertThat(screen.out()).hasLineCount(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"meeting-notes", "plain-writing"})
    void the_plugins_that_come_with_molecule_are_valid(String plugin) {
        assertThat(validate("../provisioner-service/src/main/resources/plugins/" + plugin))
                .as(screen.err())
                .isZero();
    }

    @Test
    void what_is_wrong_is_said_line_by_line() throws IOException {
        Path org = Files.writeString(folder.resolve("org.yaml"), "workspaces: [{}]");

        assertThat(validate("org", org.toString())).isEqualTo(1);

        assertThat(screen.err().lines()).hasSize(2).allMatch(line -> line.startsWith("✗ " + org + ": "));
        assertThat(screen.out()).isEmpty();
    }

    @Test
    void a_kind_without_a_path_is_a_usage_error() {
        assertThat(validate("org")).isEqualTo(2);
    }

    private int validate(String... arguments) {
        return new CommandLine(new ValidateCommand(screen.console())).execute(arguments);
    }
}
