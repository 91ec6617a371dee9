package ai.molecule.canvas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;

/** What a person asked for: how far it is, what came out, and who did what. */
class WorkTest extends VisitToThePage {

    private String lead;
    private String tester;

    @BeforeEach
    void organisation() {
        lead = platform.add("Team Lead", "Asks the team", null, "online");
        tester = platform.add("Tester", "Runs the checks", lead, "online");
    }

    @Test
    void work_is_listed_by_how_far_it_is_and_one_opens_with_who_did_what() {
        platform.work.asked("Sort the archive", lead, "working", 40);
        var done = platform.work
                .asked("Is it ready?", lead, "done", 60)
                .task(tester, lead, "ok", 5, 20, "Run the checks")
                .said(tester, lead, "46 of 48 pass.", 20)
                .said(lead, null, "Not ready.", 30)
                .file(tester, "report.html", "<h1>Not ready</h1><ul><li>2 of 48 &amp; more</li></ul>");

        browser.go(platform.url()).named("header button", "Runs").click();
        browser.see("Sort the archive");
        browser.named("button.piece", "Is it ready?").click();

        browser.see("Not ready.");
        browser.see("2 agents · 3 messages · $0.00");
        browser.see("46 of 48 pass.");
        assertThat(browser.driver().getCurrentUrl()).endsWith("#work=" + done.id());
        browser.see("2 of 48 & more");
        browser.assertCalm();
    }

    @Test
    void a_link_to_a_piece_of_work_opens_it_for_a_colleague() {
        var piece = platform.work.asked("Is it ready?", lead, "working", 60);

        browser.go(platform.url() + "#work=" + piece.id());

        assertThat(browser.find(".piece-of-work h2").getText()).isEqualTo("Is it ready?");
        browser.go("about:blank").go(platform.url() + "#work=" + "0".repeat(36));
        browser.see("Run not found.");
    }

    @Test
    void a_run_whose_agent_waits_for_an_approval_that_names_no_task_says_so() {
        var held = platform.work
                .asked("Publish the report", lead, "working", 60)
                .task(tester, lead, "running", 5, null, "Run the checks");
        platform.work.asked("Sort the archive", lead, "working", 40);
        platform.asks(tester, "publish report.html", "");
        browser.go(platform.url()).see("publish report.html");

        assertThat(browser.named(".decide button", "Publish the report").isDisplayed())
                .isTrue();
        assertThat(browser.find(".entry.work.mood-needs").getText()).contains("Publish the report");
        browser.named(".decide button", "Publish the report").click();
        assertThat(browser.driver().getCurrentUrl()).endsWith("#work=" + held.id());
        assertThat(browser.find(".piece-of-work .state.mood-needs").isDisplayed())
                .isTrue();
        assertThat(browser.find(".task.mood-needs").getText()).contains("Tester");
        assertThat(browser.find(".task.mood-working").getText()).contains("Team Lead");
        browser.picture("run-that-waits");

        browser.named(".decide button", "Approve").click();
        await().until(() -> !browser.isThere(".piece-of-work .state.mood-needs"));
    }

    @Test
    void a_piece_of_work_moves_as_it_is_worked_on() {
        var piece = platform.work.asked("Is it ready?", lead, "working", 60);
        browser.go(platform.url() + "#work=" + piece.id()).see("Is it ready?");

        piece.task(tester, lead, "running", 5, null, "Run the checks").said(lead, tester, "Run the checks, please", 5);

        browser.see("Run the checks, please");
        assertThat(browser.driver().findElements(By.cssSelector(".task"))).hasSize(2);
    }

    @Test
    void what_agents_wrote_runs_nowhere_in_a_piece_of_work() {
        String hit = "<img src=x onerror='window.hit=1'><script>window.hit=1</script>";
        var piece = platform.work
                .asked(hit, lead, "done", 60)
                .task(tester, lead, "error", 5, 20, hit)
                .said(tester, lead, hit.repeat(500), 20)
                .said(lead, null, hit, 30)
                .file(
                        tester,
                        "report.html",
                        "<h1 onclick=x>Title</h1>" + hit + "<p>Words of \u05E9\u05DC\u05D5\u05DD</p>");

        browser.go(platform.url() + "#work=" + piece.id());
        browser.see("Words of");

        assertThat(browser.script("return window.hit")).isNull();
        assertThat(browser.isThere("molecule-app :is(img, script, iframe)")).isFalse();
        assertThat(browser.script("return document.documentElement.scrollWidth <= innerWidth"))
                .isEqualTo(true);
        browser.assertCalm();
    }

    @Test
    void a_long_piece_of_work_scrolls_in_its_place_and_the_window_stays() {
        var piece = platform.work.asked("Sort the archive", lead, "working", 90);
        for (int i = 0; i < 60; i++) {
            piece.task(tester, lead, "ok", i, i + 1, "Shelf " + i).said(lead, tester, "Sort shelf " + i, i);
        }
        browser.go(platform.url() + "#work=" + piece.id()).see("Sort shelf 25");

        var heights = browser.json(
                "const place = document.querySelector('work-screen');"
                        + "return [place.scrollHeight - place.clientHeight, document.documentElement.scrollHeight - innerHeight]");

        assertThat(heights.get(0).asInt()).isGreaterThan(0);
        assertThat(heights.get(1).asInt()).isEqualTo(0);
    }

    @Test
    void work_is_asked_for_by_keyboard_alone_with_a_limit() {
        browser.go(platform.url()).see("Tester");

        browser.find("button.card").sendKeys("w");
        browser.find(".works .primary").sendKeys(Keys.ENTER);
        browser.find("dialog input[name=title]").sendKeys("Sort the archive");
        browser.find("dialog input[name=limit]").sendKeys("2.50" + Keys.ENTER);

        await().untilAsserted(() -> assertThat(platform.changes)
                .contains("POST /work {\"title\":\"Sort the archive\",\"to\":\"" + lead + "\",\"limit\":2.5}"));
    }

    @Test
    void what_somebody_stopped_is_told_as_stopped_and_not_as_failed() {
        var piece = platform.work
                .asked("Sort the archive", lead, "stopped", 60)
                .task(tester, lead, "stopped", 5, 20, "The first shelf");
        browser.go(platform.url() + "#work").see("Sort the archive");

        assertThat(browser.find("button.piece").getDomProperty("textContent")).contains("■", "stopped");
        assertThat(browser.isThere(".mood-failed")).isFalse();
        browser.find("button.piece").click();
        browser.see("Started ");
        assertThat(browser.find(".piece-of-work header .state").getText()).contains("stopped");
        assertThat(browser.isThere(".mood-failed")).isFalse();
        assertThat(browser.driver().getCurrentUrl()).endsWith("#work=" + piece.id());
        browser.picture("work-stopped");
        browser.assertCalm();
    }

    @Test
    void what_is_asked_below_the_map_may_be_bounded_and_is_a_piece_of_work_at_once() {
        browser.go(platform.url()).find(".ask input[name=limit]").sendKeys("2.50");
        browser.find(".ask textarea").clear();
        browser.find(".ask textarea")
                .sendKeys("Sort the archive" + Keys.chord(Keys.SHIFT, Keys.ENTER) + "By year." + Keys.ENTER);

        await().untilAsserted(() -> assertThat(platform.changes)
                .containsExactly("POST /work {\"title\":\"Sort the archive\",\"to\":\"" + lead
                        + "\",\"brief\":\"By year.\",\"limit\":2.5}"));
        await().until(() -> String.valueOf(browser.driver().getCurrentUrl()).endsWith("#work=w-1"));
    }

    @Test
    void a_piece_of_work_is_stopped_with_all_who_are_at_it_who_are_named_before() {
        var studio = studio();
        var piece = platform.work
                .asked("Ship it", studio.get(1), "working", 20)
                .task(studio.get(2), studio.get(1), "running", 5, null, "Build it")
                .task(studio.get(3), studio.get(1), "ok", 5, 9, "Test it");
        browser.go(platform.url() + "#work=" + piece.id()).see("stops Engineering Lead, Backend");
        browser.picture("work-stop");

        browser.named("button", "Stop run").click();

        browser.see("Stopped: Engineering Lead, Backend.");
        for (int i : new int[] {1, 2}) {
            assertThat(platform.changes)
                    .anyMatch(change -> change.startsWith("POST /workspaces/" + studio.get(i) + "/a2a")
                            && change.contains("tasks/cancel"));
        }
        assertThat(platform.changes).noneMatch(change -> change.startsWith("POST /workspaces/" + studio.get(3)));
        browser.assertCalm();
    }
}
