package ai.molecule.runtime.filetools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ai.molecule.runtime.tools.ToolRefusal;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Agents that share a folder, each a process of its own, one of which may be killed or stand still. */
class SharingFilesTest {

    private static final int ROUNDS = 150;
    private static final Duration NEVER = Duration.ofDays(1);

    /** Long enough that a write which is not one step would be seen half done. */
    private static final int WIDTH = 10_000;

    @TempDir
    private Path folder;

    private final List<Process> processes = new ArrayList<>();

    @AfterEach
    void end() throws InterruptedException {
        for (Process process : processes) {
            process.destroyForcibly().waitFor();
        }
    }

    @Test
    void nothing_that_two_agents_change_in_one_file_is_lost_and_nobody_reads_half_of_it() throws Exception {
        Path file = Files.writeString(folder.resolve("count"), counted(0));
        Process one = agent("count");
        Process other = agent("count");

        while (one.isAlive() || other.isAlive()) {
            String seen = Files.readString(file);
            assertThat(seen).isEqualTo(counted(Integer.parseInt(seen.substring(0, 10))));
        }

        assertThat(List.of(one.waitFor(), other.waitFor())).containsOnly(0);
        assertThat(Files.readString(file)).isEqualTo(counted(2 * ROUNDS));
        try (var left = Files.list(folder)) {
            assertThat(left.map(path -> String.valueOf(path.getFileName())))
                    .containsExactlyInAnyOrder("count", ".molecule");
        }
    }

    @Test
    void the_lease_of_an_agent_that_is_killed_is_free_at_once_and_the_next_token_is_higher() throws Exception {
        Process holder = agent("hold");
        long token = Long.parseLong(lines(holder).readLine());

        holder.destroyForcibly().waitFor();

        try (var lease = new FolderLeases(folder, "next", NEVER).acquire("file")) {
            assertThat(lease.token()).isEqualTo(token + 1);
            assertThat(lease.followsAnother()).isTrue();
        }
    }

    @Test
    void an_agent_that_stood_still_publishes_nothing_under_its_outdated_token() throws Exception {
        Process holder = agent("hold");
        var said = lines(holder);
        long token = Long.parseLong(said.readLine());

        try (var lease = new FolderLeases(folder, "next", Duration.ofMillis(100)).acquire("file")) {
            assertThat(lease.token()).isEqualTo(token + 1);
            lease.publish(() -> Files.writeString(folder.resolve("file"), "by the next"));
        }
        holder.outputWriter().write("go on\n");
        holder.outputWriter().flush();

        assertThat(said.readLine()).startsWith("file was changed by next while this agent stood still");
        assertThat(folder.resolve("file")).hasContent("by the next");
    }

    @Test
    void who_waits_for_a_living_holder_is_told_who_it_is() throws Exception {
        Process holder = agent("hold");
        lines(holder).readLine();

        var impatient = new FolderLeases(folder, "impatient", NEVER, Duration.ofMillis(100));

        assertThatThrownBy(() -> impatient.acquire("file"))
                .isInstanceOf(ToolRefusal.class)
                .hasMessage("file is being changed by holder, try again");
    }

    @Test
    void what_an_agent_had_half_written_when_it_was_killed_is_deleted_by_the_next_one_and_nobody_elses()
            throws Exception {
        Process writer = agent("write");
        lines(writer).readLine();
        Path record = only(folder.resolve(FolderLeases.PLACE));
        try (var channel = FileChannel.open(record, StandardOpenOption.WRITE);
                var lock = channel.lock(0, 1, false)) {
            assertThat(lock.isValid()).as("keeps it from publishing").isTrue();
            writer.outputWriter().write("go on\n");
            writer.outputWriter().flush();
            await().until(() -> holdsSomething(folder.resolve("deep")));
            writer.destroyForcibly().waitFor();
        }
        Path draft = only(folder.resolve("deep"));
        Path note = only(folder.resolve(Drafts.PLACE));

        assertThat(new WorkFolder(folder, List.of(), "", "next").list("deep")).hasSize(1);
        assertThat(draft).as("it may be one that is under way").exists();
        Files.setLastModifiedTime(note, FileTime.from(Instant.now().minus(Duration.ofMinutes(11))));

        assertThat(new WorkFolder(folder, List.of(), "", "next").list("deep")).isEmpty();
        assertThat(draft).doesNotExist();
        assertThat(note).doesNotExist();
    }

    private static boolean holdsSomething(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return false;
        }
        try (var all = Files.list(folder)) {
            return all.findAny().isPresent();
        }
    }

    private static Path only(Path folder) throws IOException {
        try (var all = Files.list(folder)) {
            var paths = all.toList();
            assertThat(paths).hasSize(1);
            return paths.getFirst();
        }
    }

    private Process agent(String does) throws IOException {
        var process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx64m",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        OtherAgent.class.getName(),
                        does,
                        folder.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        processes.add(process);
        return process;
    }

    private static BufferedReader lines(Process process) {
        return process.inputReader(StandardCharsets.UTF_8);
    }

    private static String counted(int number) {
        return "%010d".formatted(number).repeat(WIDTH);
    }

    /** What runs in the other process. */
    static final class OtherAgent {

        private OtherAgent() {}

        public static void main(String[] args) throws IOException {
            Path folder = Path.of(args[1]);
            switch (args[0]) {
                case "count" -> count(new WorkFolder(folder, List.of(), "", "counter"));
                case "write" -> write(new WorkFolder(folder, List.of(), "", "writer"));
                default -> hold(folder);
            }
        }

        private static void write(WorkFolder folder) {
            var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            folder.change("deep/file", byAnother -> {
                System.out.println("about to write");
                try {
                    String _ = in.readLine();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
                return "half".getBytes(StandardCharsets.UTF_8);
            });
        }

        private static void count(WorkFolder folder) {
            for (int i = 0; i < ROUNDS; i++) {
                folder.change("count", byAnother -> {
                    String now = new String(folder.read("count"), StandardCharsets.UTF_8);
                    return counted(Integer.parseInt(now.substring(0, 10)) + 1).getBytes(StandardCharsets.UTF_8);
                });
            }
        }

        private static void hold(Path folder) throws IOException {
            var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            try (var lease = new FolderLeases(folder, "holder").acquire("file")) {
                System.out.println(lease.token());
                String _ = in.readLine();
                lease.publish(() -> Files.writeString(folder.resolve("file"), "by the holder"));
            } catch (ToolRefusal refused) {
                System.out.println(refused.getMessage());
            }
        }
    }
}
