package ai.molecule.cli.adapter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ai.molecule.cli.Screen;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code molecule adapter}: from nothing to an agent that keeps to the contract, and one that does not. */
class AdapterCommandTest {

    private final Screen screen = new Screen();

    @TempDir
    private Path place;

    private Path home;

    @BeforeEach
    void makeFolder() throws Exception {
        home = Files.createDirectories(place.resolve("home"));
    }

    @Test
    void the_project_to_begin_from_keeps_to_the_contract() {
        assumeTrue(hasPython(), "no python3 on the PATH");
        Path folder = home.resolve("mine");

        assertThat(adapter("new", folder.toString())).isZero();
        assertThat(adapter("check", folder.toString()))
                .as(screen.out() + screen.err())
                .isZero();

        assertThat(screen.out().lines().skip(1)).hasSize(9).allMatch(line -> line.startsWith("✓ "));
    }

    @Test
    void nothing_that_is_there_is_replaced() throws Exception {
        Path mine = Files.writeString(home.resolve("config.yaml"), "name: Mine\n");

        assertThat(adapter("new", home.toString())).isNotZero();

        assertThat(mine).hasContent("name: Mine");
        assertThat(home.resolve("agent.py")).doesNotExist();
    }

    @Test
    void a_program_that_breaks_a_rule_is_told_which() throws Exception {
        Path program = Files.writeString(home.resolve("agent.sh"), """
                #!/bin/sh
                read start; echo '{"type":"ready"}'
                read message; echo 'Hello!'
                cat > /dev/null
                """);
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.writeString(home.resolve("config.yaml"), """
                name: Bad
                runtime: cli
                runtime_config: {adapter: program, command: ./agent.sh}
                """);

        assertThat(adapter("check", home.toString())).isEqualTo(1);

        assertThat(screen.out())
                .contains("✓ it says what it can do\n")
                .contains("✗ it answers a message: the program wrote a line that is no JSON object with a type\n");
    }

    private static boolean hasPython() {
        return Stream.of(System.getenv("PATH").split(":", -1))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, "python3")));
    }

    private int adapter(String... words) {
        return new CommandLine(new AdapterCommand(screen.console(), System.getenv())).execute(words);
    }
}
