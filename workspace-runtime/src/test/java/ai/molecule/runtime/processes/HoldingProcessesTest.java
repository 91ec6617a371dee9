package ai.molecule.runtime.processes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How many processes programs start, and that all of them end. */
class HoldingProcessesTest {

    @TempDir
    private Path folder;

    @Test
    void root_starts_no_more_processes_than_its_group_holds_and_all_of_them_end_with_it() throws Exception {
        assumeThat(ProcessGroup.isNeeded()).as("the test's user is root").isTrue();
        var group = ProcessGroup.make(20);
        assumeThat(group).as("this system lets root make a group").isPresent();
        String mark = UUID.randomUUID().toString();
        var bomb = new ProcessBuilder(group.get()
                        .around(List.of(
                                "/bin/sh", "-c", "for i in $(seq 60); do sleep 600 & done; echo over; wait # " + mark)))
                .redirectErrorStream(true)
                .start();
        try (var output = bomb.inputReader()) {
            String said = output.readLine();

            assertThat(said).containsIgnoringCase("fork");
            assertThat(bomb.descendants().count()).isLessThanOrEqualTo(20);
        } finally {
            group.get().close();
            bomb.destroyForcibly();
        }
        assertThat(bomb.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(ProcessHandle.allProcesses()
                        .filter(each -> each.info().commandLine().orElse("").contains(mark)))
                .isEmpty();
    }

    @Test
    void root_ends_what_starts_others_as_fast_as_it_is_ended() throws Exception {
        assumeThat(ProcessGroup.isNeeded()).as("the test's user is root").isTrue();
        var group = ProcessGroup.make(200);
        assumeThat(group).as("this system lets root make a group").isPresent();
        String mark = "sleep-" + UUID.randomUUID();
        Files.createSymbolicLink(folder.resolve(mark), Path.of("/bin/sleep"));
        var bomb = new ProcessBuilder(group.get()
                        .around(List.of(
                                "/bin/sh",
                                "-c",
                                "for i in 1 2 3 4 5; do (while :; do ./" + mark
                                        + " 0.3 & sleep 0.05; done) & done; wait")))
                .directory(folder.toFile())
                .start();
        await().until(() -> isRunning(mark));

        group.get().close();

        await().until(() -> !isRunning(mark) && !bomb.isAlive());
    }

    @Test
    void what_may_be_started_leaves_the_agent_some_and_a_program_that_stays_takes_half() {
        var room = new ProcessRoom(() -> OptionalInt.of(ProcessRoom.KEPT_BACK + 40));

        assertThat(room.forOne()).hasValue(40);
        assertThat(room.forOneThatStays()).hasValue(20);
        assertThat(new ProcessRoom(() -> OptionalInt.of(ProcessRoom.KEPT_BACK + 5)).forOne())
                .isEmpty();
        assertThat(new ProcessRoom(OptionalInt::empty).forOne()).hasValue(ProcessRoom.MOST);
        assertThat(room.isTaken()).isFalse();
    }

    /** Tried again where others of the same user, as other tests are, took the room between the count and the start. */
    @Test
    void a_program_starts_as_many_as_it_may() {
        await().untilAsserted(HoldingProcessesTest::startTwentyOfForty);
    }

    private static void startTwentyOfForty() throws Exception {
        var environment = Map.of("PATH", System.getenv().getOrDefault("PATH", "/bin:/usr/bin"));
        try (var hold = ProcessHold.of(40, environment)) {
            assumeThat(hold.holds()).as("this system holds processes").isTrue();
            String script = "for i in $(seq 20); do sleep 0.2 & done; wait; echo all";
            var program = new ProcessBuilder(hold.around(List.of("/bin/sh", "-c", script)))
                    .redirectErrorStream(true)
                    .start();

            assertThat(new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .isEqualTo("all\n");
        }
    }

    private static boolean isRunning(String mark) {
        return ProcessHandle.allProcesses()
                .anyMatch(each -> each.info().commandLine().orElse("").contains(mark));
    }
}
