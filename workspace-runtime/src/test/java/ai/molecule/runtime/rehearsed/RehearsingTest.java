package ai.molecule.runtime.rehearsed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.runtime.agent.NotReady;
import ai.molecule.runtime.agent.Prompt;
import ai.molecule.runtime.agent.Reply;
import ai.molecule.sdk.ClientConfig;
import ai.molecule.sdk.TokenFile;
import ai.molecule.sdk.WorkspaceClient;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The researcher and the tester of Club Calendar over the files that are shipped, and what a kill costs them. */
class RehearsingTest {

    private static final Path CALENDAR = Path.of(System.getProperty("molecule.root", ".."))
            .resolve("provisioner-service/src/main/resources/organisations/club/calendar");

    @TempDir
    private Path folder;

    private final List<String> steps = new ArrayList<>();
    private final StringBuilder said = new StringBuilder();

    @Test
    void the_checks_are_run_and_two_of_forty_eight_fail() throws Exception {
        play("recorded:tester", "Does it pass? (work 1)");

        assertThat(said).hasToString("""
                46 of 48 checks pass.
                Fails: times: Quiz night begins at 19:00 and ends at 18:00
                Fails: places: Board games is at no place""");
        assertThat(steps)
                .containsExactly(
                        "./check dates · step 1 of 5",
                        "./check times · step 2 of 5",
                        "./check places · step 3 of 5",
                        "./check hosts · step 4 of 5",
                        "adding up · step 5 of 5");
    }

    @Test
    void what_is_in_the_calendar_is_read_and_not_remembered() throws Exception {
        play("recorded:researcher", "What is in it? (work 1)");
        assertThat(said).hasToString("12 events from 2027-01-09 to 2027-06-19, at 6 places.");

        var other = Files.createDirectories(folder.resolve("other"));
        Files.writeString(
                other.resolve("calendar.csv"), "date,start,end,event,place,host\n2027-01-01,1,2,New Year,Hall,a@b\n");
        said.setLength(0);
        play("recorded:researcher", "What is in it? (work 2)", other);
        assertThat(said).hasToString("1 events from 2027-01-01 to 2027-01-01, at 1 places.");
    }

    @Test
    void one_that_was_killed_goes_on_at_the_step_it_was_at_and_repeats_nothing() throws Exception {
        play("recorded:tester", "Does it pass? (work 1)");
        var whole = said.toString();
        var kept = new StepFile(folder.resolve(".molecule/steps.json"));
        var again = new StepFile(folder.resolve("again/.molecule/steps.json"));
        for (String step : steps.subList(0, 2)) {
            again.keep("1", step, kept.find("1", step).orElseThrow()); // as it was found after a kill within the third
        }
        steps.clear();
        said.setLength(0);

        play("recorded:tester", "Does it pass? (work 1)", CALENDAR, folder.resolve("again"));

        assertThat(steps).first().isEqualTo("./check places · step 3 of 5");
        assertThat(steps).hasSize(3);
        assertThat(said).hasToString(whole);
    }

    @Test
    void what_the_platform_tells_it_by_itself_starts_nothing() throws Exception {
        play("recorded:tester", "=== WORKSPACE RESTART CONTEXT ===\nRestart at: now");

        assertThat(steps).isEmpty();
        assertThat(said).hasToString("I am back, and go on when I am asked.");
    }

    @Test
    void other_work_is_done_anew() throws Exception {
        play("recorded:tester", "Does it pass? (work 1)");
        play("recorded:tester", "Does it pass? (work 2)");

        assertThat(steps).hasSize(10);
    }

    @Test
    void the_step_file_forgets_the_oldest_work() throws IOException {
        var file = new StepFile(folder.resolve("steps.json"));
        for (int work = 0; work <= StepFile.WORKS_MAX; work++) {
            file.keep("work-" + work, "step", "done");
        }

        assertThat(file.find("work-0", "step")).isEmpty();
        assertThat(file.find("work-1", "step")).contains("done");
        assertThat(file.find("work-" + StepFile.WORKS_MAX, "step")).contains("done");
    }

    @Test
    void a_check_that_cannot_run_is_a_failure_and_no_result() throws IOException {
        var empty = Files.createDirectories(folder.resolve("empty"));

        assertThatThrownBy(() -> play("recorded:tester", "Does it pass? (work 1)", empty))
                .hasMessageContaining("./check dates could not run");
    }

    @Test
    void the_report_is_the_same_each_time_and_runs_nothing_it_was_told() {
        String told = "Write it.\n12 events.\n46 of 48 checks pass.\n<script>alert(1)</script> (work 1)";

        assertThat(Report.html(told))
                .isEqualTo(Report.html(told.replace("(work 1)", "(work 2)")))
                .startsWith("<!doctype html><title>Not ready: 2 of 48 checks fail</title>")
                .contains("&lt;script&gt;")
                .doesNotContain("<script", "(work");
        assertThat(Report.headline("48 of 48 checks pass.")).isEqualTo("Ready: all 48 checks pass");
        assertThat(Report.headline("nothing")).isEqualTo("Nobody counted the checks");
    }

    @Test
    void a_part_that_nobody_wrote_is_refused_at_the_start() {
        assertThatThrownBy(() -> executor("recorded:pianist", CALENDAR, folder))
                .isInstanceOf(NotReady.class)
                .hasMessageContaining("nothing is rehearsed for recorded:pianist");
    }

    private void play(String model, String message) throws Exception {
        play(model, message, CALENDAR);
    }

    private void play(String model, String message, Path calendar) throws Exception {
        play(model, message, calendar, folder);
    }

    private void play(String model, String message, Path calendar, Path workspace) throws Exception {
        var prompt = new Prompt("task", "context", message, MissingNode.getInstance(), MissingNode.getInstance());
        try (var executor = executor(model, calendar, workspace)) {
            executor.answer(prompt, reply());
        }
    }

    private static RehearsedExecutor executor(String model, Path calendar, Path workspace) {
        var nobody =
                new WorkspaceClient(ClientConfig.of("no-workspace", "http://127.0.0.1:1", TokenFile.in(workspace)));
        return new RehearsedExecutor(model, nobody, calendar, workspace, Duration.ZERO);
    }

    private Reply reply() {
        return new Reply() {
            @Override
            public void chunk(String text) {
                said.append(text);
            }

            @Override
            public void text(String text) {
                said.append(text);
            }

            @Override
            public void ask(String question) {
                said.append(question);
            }

            @Override
            public void step(String what) {
                steps.add(what);
            }
        };
    }
}
