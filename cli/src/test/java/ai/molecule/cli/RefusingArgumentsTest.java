package ai.molecule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** What a user can get wrong: one sentence, exit code 2, nothing started and nothing on standard output. */
class RefusingArgumentsTest {

    @TempDir
    Path temp;

    private final Screen screen = new Screen();

    @ParameterizedTest
    @ValueSource(
            strings = {"up --port x", "up --backend cloud", "up --env test", "up --xyzzy", "logs", "xyzzy", "plugin", ""
            })
    void what_is_not_understood_is_a_usage_error(String line) {
        assertThat(run(line.isEmpty() ? new String[0] : line.split(" "))).isEqualTo(2);
        assertThat(screen.err()).contains("Usage: molecule");
        assertThat(screen.out()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--help",
                "up --help",
                "ps --help",
                "logs --help",
                "down --help",
                "connect --help",
                "plugin --help",
                "plugin validate --help",
                "invite --help",
                "quarantine --help",
                "secrets rotate --help",
                "doctor --help",
                "files get --help"
            })
    void every_command_explains_itself(String line) {
        assertThat(run(line.split(" "))).isZero();
        assertThat(screen.out()).contains("Usage: molecule");
    }

    @Test
    void an_error_of_the_machine_below_ends_the_command_too() {
        var broken = new CommandLine(CommandLine.Model.CommandSpec.wrapWithoutInspection((Runnable) () -> {
            throw new NoClassDefFoundError("of.a.LibraryThatIsMissing");
        }));

        assertThat(MoleculeCommand.execute(broken, screen.console())).isEqualTo(1);

        assertThat(screen.err()).contains("of.a.LibraryThatIsMissing");
    }

    @Test
    void an_open_address_needs_an_admin_token() {
        assertThat(run("up", "--bind", "0.0.0.0")).isEqualTo(2);
        assertThat(screen.err()).contains("ADMIN_TOKEN", "0.0.0.0", "127.0.0.1");
        assertThat(temp).isEmptyDirectory();
    }

    @Test
    void a_taken_port_is_named_with_its_holder() throws IOException {
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String port = Integer.toString(taken.getLocalPort());

            assertThat(run("up", "--port", port)).isEqualTo(2);

            assertThat(screen.err()).contains(port, "--port").doesNotContain("\tat ");
            if (Files.exists(Path.of("/proc/net/tcp"))) {
                assertThat(screen.err())
                        .contains("process " + ProcessHandle.current().pid());
            }
        }
    }

    @Test
    void a_data_folder_that_is_a_file_is_refused() throws IOException {
        Path file = Files.writeString(temp.resolve("file"), "");

        assertThat(run("up", "--data", file.toString())).isEqualTo(2);
        assertThat(screen.err()).contains(file.toString());
    }

    @Test
    void looking_at_nothing_says_so_and_stopping_nothing_is_done() {
        assertThat(run("ps")).isEqualTo(2);
        assertThat(run("logs", "registry")).isEqualTo(2);
        assertThat(run("down")).isZero();
        assertThat(screen.out()).isEmpty();
    }

    @Test
    void a_log_name_is_not_a_path() throws IOException {
        Files.writeString(temp.resolve("secret.log"), "hidden");

        assertThat(run("logs", "../../secret")).isEqualTo(2);
        assertThat(screen.out()).isEmpty();
    }

    private int run(String... arguments) {
        var home = new MoleculeHome(temp, temp.resolve("runtime.jar"));
        return MoleculeCommand.commandLine(screen.console(), home).execute(arguments);
    }
}
