package ai.molecule.canvas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What agents are told by the clock: what comes next on Home, and an agent's own in its settings. */
class SchedulesTest extends VisitToThePage {

    private static final String ONE = "5c1e0000-0000-4000-8000-000000000001";
    private List<String> studio;
    private String path;

    @BeforeEach
    void organisation() {
        studio = studio();
        path = "/workspaces/" + studio.get(3) + "/schedules";
    }

    @Test
    void what_comes_next_stands_on_home_and_leads_to_its_agent() {
        tells("error");
        browser.go(platform.url()).see("SCHEDULED");

        String first = browser.find("[aria-labelledby=coming] .entry").getText();
        assertThat(first).contains("Tester", "Morning checks", "on weekdays at 08:30", "last time it failed", "✕");
        browser.picture("coming-up");
        browser.named("[aria-labelledby=coming] .entry", "Morning checks").click();

        browser.see("Run ./check and say what fails.");
        assertThat(browser.find(".schedule").getText())
                .contains("on weekdays at 08:30, Europe/Berlin", "failed, the agent did not answer");
        browser.picture("by-the-clock");
        browser.assertCalm();
        assertThat(browser.seriousFindings()).isEmpty();
    }

    @Test
    void a_tick_that_is_told_of_is_read_at_once() {
        tells("ok");
        browser.go(platform.url()).see("Morning checks");
        tells("error");

        platform.recorded(
                "CRON_EXECUTED",
                studio.get(3),
                JsonObject.of("schedule_id", ONE, "schedule_name", "Morning checks", "status", "error"));

        browser.see("last time it failed");
        browser.see("Tester failed its schedule: Morning checks");
    }

    @Test
    void one_is_made_in_words_paused_told_now_and_deleted() {
        settingsOf("Tester");
        browser.see("No schedules yet.");
        browser.named(".by-clock summary", "New schedule").click();
        browser.find(".clock textarea").sendKeys("Is anybody double-booked?");
        browser.script("const kind = document.querySelector('.clock select'); kind.value = '1';"
                + " kind.dispatchEvent(new Event('change'));"
                + " document.querySelector('.clock [name=value]').value = '07:30';"
                + " document.querySelector('.clock [name=timezone]').value = 'Europe/Berlin'");
        platform.answers.put(path, JsonArray.of(schedule("ok")));

        browser.named(".clock button", "Save").click();

        browser.see("Saved.");
        browser.named("button", "Run Morning checks now").click();
        browser.see("Started.");
        browser.named("button", "Pause Morning checks").click();
        browser.see("Morning checks is paused.");
        browser.named("button", "Delete Morning checks").click();
        browser.see("Morning checks was deleted.");
        assertThat(platform.changes)
                .containsExactly(
                        "POST " + path + " "
                                + JsonObject.of(
                                        "prompt",
                                        "Is anybody double-booked?",
                                        "name",
                                        "Is anybody double-booked?",
                                        "cron_expr",
                                        "30 7 * * 1",
                                        "timezone",
                                        "Europe/Berlin"),
                        "POST " + path + "/" + ONE + "/run {\"send\":true}",
                        "PATCH " + path + "/" + ONE + " {\"enabled\":false}",
                        "DELETE " + path + "/" + ONE + " ");
    }

    @Test
    void what_became_of_its_ticks_says_which_were_missed_and_why() {
        tells("ok");
        platform.answers.put(
                path + "/" + ONE + "/history",
                JsonArray.of(
                        tick("ok").put("duration_ms", 4200),
                        tick("missed").put("error_detail", "the platform did not run")));
        settingsOf("Tester");

        browser.named(".schedule summary", "History").click();

        browser.see("done in 0:04");
        browser.see("missed: the platform did not run");
    }

    @Test
    void what_the_platform_refuses_is_said_and_nothing_typed_is_lost() {
        platform.refusals.put(path, 400);
        settingsOf("Tester");
        browser.named(".by-clock summary", "New schedule").click();
        browser.find(".clock textarea").sendKeys("Look around.");

        browser.named(".clock button", "Save").click();

        browser.see("refused here");
        await().untilAsserted(() -> assertThat(browser.json("return document.querySelector('.clock textarea').value")
                        .asText())
                .isEqualTo("Look around."));
    }

    private void tells(String last) {
        platform.answers.put(path, JsonArray.of(schedule(last)));
        platform.answers.put(
                "/admin/schedules/health",
                JsonArray.of(new JsonObject()
                        .put("workspace_id", studio.get(3))
                        .put("workspace_name", "Tester")
                        .put("schedule_id", ONE)
                        .put("schedule_name", "Morning checks")
                        .put("cron_expr", "30 8 * * 1-5")
                        .put(
                                "expected_next_run",
                                Instant.now().plusSeconds(3600).toString())
                        .put("status", "ok")
                        .put("enabled", true)
                        .put("last_status", last)));
    }

    private static JsonObject schedule(String last) {
        return new JsonObject()
                .put("id", ONE)
                .put("name", "Morning checks")
                .put("prompt", "Run ./check and say what fails.")
                .put("cron_expr", "30 8 * * 1-5")
                .put("timezone", "Europe/Berlin")
                .put("enabled", true)
                .put("next_run_at", Instant.now().plusSeconds(3600).toString())
                .put("last_run_at", Instant.now().minusSeconds(3600).toString())
                .put("last_status", last)
                .put("last_error", last.equals("error") ? "the agent did not answer" : null)
                .put("source", "runtime");
    }

    private static JsonObject tick(String status) {
        return new JsonObject()
                .put("timestamp", Instant.now().minusSeconds(3600).toString())
                .putNull("duration_ms")
                .put("status", status)
                .putNull("error_detail");
    }
}
