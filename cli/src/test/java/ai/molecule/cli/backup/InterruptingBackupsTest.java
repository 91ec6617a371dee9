package ai.molecule.cli.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.Screen;
import ai.molecule.testkit.Waits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A signal, as Ctrl-C is one, while something is made. */
class InterruptingBackupsTest {

    @TempDir
    private Path temp;

    private final Screen screen = new Screen();

    @Test
    void what_is_read_is_cut_off_and_the_end_waits_until_what_was_begun_is_taken_away() throws Exception {
        var interruption = Interruption.watch(screen.console(), "nothing was made");
        var cut = new CountDownLatch(1);
        interruption.cutsOff(cut::countDown);

        var ending = Thread.ofVirtual().start(interruption::come);

        assertThat(cut.await(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThatThrownBy(interruption::requireNone).isInstanceOf(IOException.class);
        assertThat(interruption.orElse(LaunchFailure.broken("cut off"))).isEqualTo(2);
        assertThat(ending.isAlive()).isTrue();
        interruption.close();
        assertThat(ending.join(Waits.PATIENCE)).isTrue();
        assertThat(screen.err()).isEqualTo("Interrupted; nothing was made.\n");
    }

    @Test
    void what_comes_later_is_cut_off_at_once_and_what_is_whole_is_not_denied() throws Exception {
        var interruption = Interruption.watch(screen.console(), "nothing was made");
        interruption.come(); // nothing was begun, so nobody waits
        var cut = new CountDownLatch(1);

        interruption.cutsOff(cut::countDown);

        assertThat(cut.getCount()).isZero();
        assertThat(screen.err()).contains("Interrupted");
        interruption.close();

        var late = new Screen();
        try (var whole = Interruption.watch(late.console(), "nothing was made")) {
            whole.isWhole();
            whole.come();
        }
        assertThat(late.err()).isEmpty();
    }

    /** A pipe, of which no more comes. */
    @Test
    void restore_ends_by_the_signal_with_a_sentence() throws Exception {
        Path pipe = temp.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        Path elsewhere = temp.resolve("elsewhere");
        var said = temp.resolve("said");
        var restoring = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xlog:disable",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        "ai.molecule.cli.MoleculeCommand",
                        "restore",
                        pipe.toString(),
                        "--data",
                        elsewhere.toString())
                .redirectOutput(temp.resolve("out").toFile())
                .redirectError(said.toFile())
                .start();
        try (var nothing = Files.newOutputStream(pipe)) { // which waits until it is read
            nothing.flush();

            restoring.destroy();

            assertThat(restoring.waitFor(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
            assertThat(restoring.exitValue()).isEqualTo(143);
            assertThat(Files.readString(said)).endsWith("Interrupted; nothing was made.\n");
            assertThat(elsewhere).doesNotExist();
        } finally {
            restoring.destroyForcibly();
        }
    }
}
