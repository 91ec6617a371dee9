package ai.molecule.canvas;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URLEncoder;
import java.time.Duration;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.interactions.Actions;

/** What a person does on the page and what the page then says, asks of the platform and keeps to itself. */
class PageTest {

    private static Browser browser;
    private StagedPlatform platform;

    @BeforeAll
    static void open() {
        browser = Browser.open();
    }

    @BeforeEach
    void stage() {
        platform = new StagedPlatform();
        browser.go("about:blank")
                .prefers("prefers-color-scheme", "light")
                .offline(false)
                .size(1440, 900);
        browser.complaints();
    }

    @AfterEach
    void close() {
        platform.close();
    }

    @AfterAll
    static void quit() {
        if (browser != null) {
            browser.close();
        }
    }

    // --- what comes from others

    @Test
    void names_and_answers_of_any_kind_break_nothing_and_run_nothing() {
        String lead =
                platform.add("<img src=x onerror='window.hit=1'>", "<script>window.hit=1</script>", null, "online");
        platform.add(
                "\u202Eolleh \u05E9\u05DC\u05D5\u05DD \u0645\u0631\u062D\u0628\u0627", "right to left", lead, "online");
        platform.add("\uD83D\uDC69\u200D\uD83D\uDD2C\uD83D\uDE80".repeat(50), null, lead, "online");
        platform.add("x".repeat(10_000), "y".repeat(10_000), lead, "failed");
        platform.add("", null, lead, "a status nobody knows");
        platform.add("${name} {{name}} javascript:window.hit=1", "\u0000\n\t", "no such parent", "online");
        platform.works(lead, "<svg onload='window.hit=1'>".repeat(100));
        platform.asks(
                lead, "<b>rm -rf /</b>" + " very long".repeat(500), "<a href='javascript:window.hit=1'>click</a>");
        platform.said(
                lead,
                "<iframe src='javascript:window.hit=1'></iframe>",
                "<img src=x onerror=window.hit=1>" + "z".repeat(20_000));

        browser.go(platform.url()).see("<img src=x onerror='window.hit=1'>");
        browser.named("button.card", "<img src=x").click();
        browser.see("<iframe src='javascript:window.hit=1'></iframe>");
        browser.find("button.card").sendKeys("l");
        browser.find("[role=treeitem]");

        assertThat(browser.script("return window.hit")).isNull();
        assertThat(browser.driver()
                        .findElements(By.cssSelector("molecule-app :is(img, script, iframe, a, svg[onload])")))
                .isEmpty();
        assertThat(browser.driver().findElements(By.cssSelector("[role=treeitem]")))
                .hasSize(6);
        assertThat(browser.script("return document.documentElement.scrollWidth <= innerWidth"))
                .isEqualTo(true);
        browser.picture("strangers").assertCalm();
    }

    @Test
    void nothing_is_asked_of_another_host_and_the_policy_is_never_broken() {
        studio();
        browser.go(platform.url()).named("button.card", "Backend").click();
        browser.see("Nothing was said yet");

        var hosts =
                browser.json("return performance.getEntriesByType('resource').map((one) => new URL(one.name).host)");

        assertThat(StreamSupport.stream(hosts.spliterator(), false).map(host -> host.asText()))
                .isNotEmpty()
                .containsOnly(platform.url().replaceAll("http://|/", ""));
        browser.assertCalm();
    }

    // --- one store, one stream

    @Test
    void what_happens_is_seen_as_it_happens() {
        var studio = studio();
        browser.go(platform.url()).see("Backend");

        platform.works(studio.get(2), "fixing test 3 of 5");
        browser.see("fixing test 3 of 5");
        platform.becomes(
                studio.get(3), "failed", "WORKSPACE_PROVISION_FAILED", JsonObject.of("error", "no such program"));
        browser.see("no such program");
        platform.recorded(
                "WORKSPACE_PROVISIONING",
                "00000000-0000-4000-8000-00000000abcd",
                JsonObject.of("name", "Newcomer", "role", "new", "status", "provisioning", "parent_id", studio.get(1)));
        browser.see("Newcomer");
        platform.becomes(studio.get(3), "removed", "WORKSPACE_REMOVED", new JsonObject());
        await().atMost(Duration.ofSeconds(60)).until(() -> labels("button.card").size() == 4);
    }

    @Test
    void a_lost_socket_goes_on_where_it_was_and_misses_nothing() {
        var studio = studio();
        browser.go(platform.url()).see("Backend");
        platform.becomes(studio.get(2), "paused", "WORKSPACE_PAUSED", new JsonObject());
        browser.see("paused since");

        platform.die();
        browser.see("Not live since");
        platform.becomes(studio.get(2), "online", "WORKSPACE_ONLINE", new JsonObject());
        platform.asks(studio.get(3), "publish the report", "");
        platform.revive();

        browser.see("publish the report");
        browser.seeNot("Not live since");
        browser.seeNot("paused since");
        assertThat(platform.sinces).last().asString().matches("since=([1-9]\\d*)");
    }

    @Test
    void a_socket_that_is_cut_ten_times_leaves_the_page_right() {
        var studio = studio();
        browser.go(platform.url()).see("Backend");

        for (int i = 0; i < 10; i++) {
            platform.cut();
            platform.works(studio.get(2), "step " + i);
        }

        browser.see("step 9");
        browser.seeNot("Not live since");
        assertThat(browser.driver().findElements(By.cssSelector("button.card"))).hasSize(4);
    }

    @Test
    void a_hidden_page_draws_nothing_and_is_right_when_it_is_seen_again() {
        var studio = studio();
        browser.go(platform.url()).see("Backend");
        browser.script("window.drawn = 0; new MutationObserver(() => window.drawn++).observe(document.body, "
                + "{subtree: true, childList: true, characterData: true, attributes: true});"
                + "Object.defineProperty(document, 'hidden', {value: true, configurable: true});");
        Object before = browser.script("return new Promise((done) => requestAnimationFrame(() => done(window.drawn)))");

        for (int i = 0; i < 50; i++) {
            platform.works(studio.get(2), "step " + i);
        }
        Object after = browser.script("return new Promise((done) => setTimeout(() => done(window.drawn), 1500))");
        assertThat(after).isEqualTo(before);

        browser.script("delete document.hidden; document.dispatchEvent(new Event('visibilitychange'));");
        browser.see("step 49");
    }

    @Test
    void a_platform_with_a_key_is_asked_with_it_and_a_wrong_one_is_said_to_be_wrong() {
        studio();
        platform.key = "secret";
        browser.go(platform.url()).find("#key").sendKeys("guess" + Keys.ENTER);
        browser.see("That key does not open it.");

        var field = browser.find("#key");
        field.clear();
        field.sendKeys("secret" + Keys.ENTER);

        browser.see("Backend");
        assertThat(browser.script(
                        "return JSON.stringify([localStorage.length, sessionStorage.length, document.cookie])"))
                .isEqualTo("[0,0,\"\"]");
        browser.go(platform.url()).see("Backend"); // the browser keeps what the page cannot read

        browser.named("button", "Sign out").click();
        browser.see("asks who you are");
        assertThat(platform.changes).containsExactly("DELETE /session");
    }

    @Test
    void who_was_led_here_to_sign_in_goes_back_and_nowhere_else() {
        studio();
        platform.key = "secret";
        browser.go(platform.url() + "?next=%2Fui%2Ffiles.txt%3Fa%3Db")
                .find("#key")
                .sendKeys("secret" + Keys.ENTER);
        await().untilAsserted(() ->
                assertThat(browser.driver().getCurrentUrl()).isEqualTo(platform.url() + "ui/files.txt?a=b"));

        for (String elsewhere : List.of("http://127.0.0.1:1/", "//127.0.0.1:1/", "javascript:window.hit=1")) {
            browser.go(platform.url() + "?next=" + URLEncoder.encode(elsewhere, UTF_8))
                    .see("Backend");
            assertThat(browser.script("return window.hit")).isNull();
        }
    }

    @Test
    void a_session_that_ends_asks_again_and_keeps_what_was_written() {
        studio();
        platform.key = "secret";
        browser.go(platform.url()).find("#key").sendKeys("secret" + Keys.ENTER);
        browser.find("ask-composer textarea").sendKeys("half a thought");

        platform.key = "changed";
        platform.cut();
        browser.see("what you wrote is kept");
        browser.find("#key").sendKeys("changed" + Keys.ENTER);

        browser.see("Backend");
        assertThat(browser.find("ask-composer textarea").getDomProperty("value"))
                .endsWith("half a thought");
    }

    // --- map and list

    @Test
    void the_list_holds_every_fact_of_the_map() {
        var studio = studio();
        platform.works(studio.get(2), "fixing test 3 of 5");
        platform.asks(studio.get(3), "publish the report", "done");
        browser.go(platform.url()).see("fixing test 3 of 5");
        var map = labels("button.card");

        browser.named("button", "List").click();
        browser.find("[role=treeitem]");

        var list = labels("[role=treeitem]");
        assertThat(list).hasSameSizeAs(map);
        for (int i = 0; i < map.size(); i++) {
            assertThat(list.get(i)).startsWith(map.get(i).replaceAll(", \\d+:\\d\\d$", ""));
        }
        assertThat(browser.find("[role=treeitem]").getDomAttribute("aria-expanded"))
                .isEqualTo("true");
    }

    @Test
    void a_search_dims_on_the_map_and_says_what_the_list_leaves_out() {
        studio();
        browser.go(platform.url()).find("input[type=search]").sendKeys("backend");
        browser.see("1 of 4");
        assertThat(browser.driver().findElements(By.cssSelector("button.card.dim")))
                .hasSize(3);

        browser.named("button", "List").click();

        browser.see("1 agent not shown: no match.");
        assertThat(labels("[role=treeitem]")).hasSize(3).anyMatch(label -> label.startsWith("Backend"));
    }

    @Test
    void by_keyboard_one_goes_from_agent_to_agent_opens_one_and_comes_back() {
        studio();
        browser.go(platform.url()).named("button.card", "Director").sendKeys(Keys.ARROW_DOWN);
        assertThat(focused()).startsWith("Engineering Lead");
        active().sendKeys(Keys.ARROW_DOWN);
        assertThat(focused()).startsWith("Backend");
        active().sendKeys(Keys.ARROW_RIGHT);
        assertThat(focused()).startsWith("Tester");

        active().sendKeys(Keys.ENTER);
        browser.see("Tester reads this");
        assertThat(focused()).startsWith("Tester"); // nothing moves the focus
        active().sendKeys(Keys.ESCAPE);
        browser.seeNot("Tester reads this");

        active().sendKeys("l");
        browser.find("[role=treeitem]").sendKeys(Keys.ARROW_LEFT);
        await().atMost(Duration.ofSeconds(60))
                .until(() -> labels("[role=treeitem]").size() == 1);
        active().sendKeys(Keys.chord(Keys.CONTROL, "k"));
        assertThat(active().getTagName()).isEqualTo("input");
    }

    @Test
    void a_team_is_folded_for_everybody() {
        var studio = studio();
        browser.go(platform.url()).find("[data-fold='" + studio.get(1) + "']").click();

        await().atMost(Duration.ofSeconds(60))
                .until(() -> browser.driver()
                                .findElements(By.cssSelector("button.card"))
                                .size()
                        == 2);
        await().atMost(Duration.ofSeconds(60))
                .until(() -> platform.changes.contains("PATCH /workspaces/" + studio.get(1) + " {\"collapsed\":true}"));
    }

    @Test
    void dragged_onto_another_team_it_says_before_the_drop_what_that_means_and_can_be_undone() {
        var studio = studio();
        String other = platform.add("Customer Lead", "Speaks with clubs", studio.get(0), "online");
        platform.add("Support", "Answers", other, "online");
        browser.go(platform.url());
        var target = browser.named("button.card", "Customer Lead");

        new Actions(browser.driver())
                .clickAndHold(browser.named("button.card", "Backend"))
                .moveToElement(target, 0, 4)
                .moveByOffset(3, 3)
                .perform();
        browser.see("may then talk to 2 more, no longer to 2");
        assertThat(platform.changes).isEmpty();
        new Actions(browser.driver()).release().perform();

        browser.see("Backend moved to Customer Lead.");
        assertThat(platform.changes)
                .contains("PATCH /workspaces/" + studio.get(2) + " {\"parent_id\":\"" + other + "\"}");
        browser.named("button", "Undo").click();
        await().atMost(Duration.ofSeconds(60))
                .until(() -> platform.changes.contains(
                        "PATCH /workspaces/" + studio.get(2) + " {\"parent_id\":\"" + studio.get(1) + "\"}"));
    }

    @Test
    void dragged_within_its_team_it_stays_where_it_was_put() {
        studio();
        browser.go(platform.url());
        var tester = browser.named("button.card", "Tester");

        new Actions(browser.driver())
                .clickAndHold(tester)
                .moveToElement(browser.named("button.card", "Backend"), -100, 0)
                .moveByOffset(-3, 0)
                .release()
                .perform();

        await().atMost(Duration.ofSeconds(60))
                .until(() -> labels("button.card").get(2).startsWith("Tester"));
        await().atMost(Duration.ofSeconds(60))
                .until(() -> platform.changes.stream()
                                .filter(change -> change.contains("\"x\":"))
                                .count()
                        == 2);
        assertThat(browser.isThere("agent-panel")).isFalse(); // a drag is no click
    }

    @Test
    void beside_each_drag_stands_a_choice() {
        var studio = studio();
        settingsOf("Backend");
        browser.named("button", "Move to…").click();
        browser.see("may then talk to");
        browser.find("dialog select").sendKeys("Team of Director");
        browser.see("may then talk to 1 more, no longer to 1");

        browser.named("dialog button", "Move").click();

        await().atMost(Duration.ofSeconds(60))
                .until(() -> platform.changes.contains(
                        "PATCH /workspaces/" + studio.get(2) + " {\"parent_id\":\"" + studio.get(0) + "\"}"));
    }

    @Test
    void pause_resume_restart_and_delete_which_asks() {
        var studio = studio();
        settingsOf("Backend");
        browser.named("agent-panel button", "Pause").click();
        browser.see("Backend is paused.");
        platform.becomes(studio.get(2), "paused", "WORKSPACE_PAUSED", new JsonObject());
        browser.named("agent-panel button", "Resume").click();
        browser.see("Backend starts again.");
        platform.becomes(studio.get(2), "online", "WORKSPACE_ONLINE", new JsonObject());
        browser.named("agent-panel button", "Restart").click();
        browser.see("Backend starts anew.");

        browser.named("agent-panel button", "Delete…").click();
        browser.see("This cannot be undone.");
        assertThat(focused()).isEqualTo("Keep");
        active().sendKeys(Keys.ESCAPE);
        browser.seeNot("This cannot be undone.");
        assertThat(platform.changes).noneMatch(change -> change.startsWith("DELETE"));
        browser.named("agent-panel button", "Delete…").click();
        browser.named("dialog button", "Delete").click();

        browser.see("Backend was deleted.");
        assertThat(platform.changes).anyMatch(change -> change.startsWith("DELETE /workspaces/" + studio.get(2)));
    }

    // --- talk and decide

    @Test
    void the_first_visit_begins_with_a_sentence_and_a_filled_composer_and_nothing_starts_before_enter() {
        var studio = studio();
        platform.answer = "Engineering Lead: hello";
        browser.go(platform.url()).see("These 4 agents work for you.");
        var box = browser.find("ask-composer textarea");
        await().atMost(Duration.ofSeconds(60))
                .until(() -> String.valueOf(box.getDomProperty("value")).startsWith("ask Engineering Lead"));
        assertThat(platform.changes).isEmpty();

        box.sendKeys(Keys.ENTER);

        browser.see("Engineering Lead: hello");
        assertThat(platform.changes)
                .hasSize(1)
                .allMatch(change -> change.startsWith("POST /workspaces/" + studio.get(0) + "/a2a"));
        browser.seeNot("These 4 agents work for you.");
        browser.see("✓");
    }

    @Test
    void an_answer_under_way_is_stopped_at_the_agent_too() {
        var studio = studio();
        platform.answer = "";
        browser.go(platform.url()).named("button.card", "Backend").click();
        browser.find("agent-panel textarea").sendKeys("go on for ever" + Keys.ENTER);
        browser.see("works on it");

        browser.named("agent-panel button", "Stop").click();

        browser.see("Stopped.");
        await().atMost(Duration.ofSeconds(60))
                .until(() -> platform.changes.stream()
                        .anyMatch(change -> change.startsWith("POST /workspaces/" + studio.get(2) + "/a2a")
                                && change.contains("\"method\":\"tasks/cancel\"")
                                && change.contains("task-1")));
    }

    @Test
    void what_could_not_be_sent_stays_with_the_writer() {
        studio();
        browser.go(platform.url()).named("button.card", "Backend").click();
        browser.see("Nothing was said yet");
        platform.die();
        browser.find("agent-panel textarea").sendKeys("are you there?" + Keys.ENTER);

        browser.see("Not sent yet");
        assertThat(browser.find("agent-panel textarea").getDomProperty("value")).isEqualTo("are you there?");
        platform.revive();
        browser.seeNot("Not live since");
        browser.find("agent-panel textarea").sendKeys(Keys.ENTER);
        browser.see("Done.");
    }

    @Test
    void an_answer_that_waits_for_a_person_is_decided_once_and_shown_when_the_platform_said_so() {
        var studio = studio();
        browser.go(platform.url()).see("Nothing waits for you.");
        platform.asks(studio.get(3), "publish report.html to ./out", "2 checks fail; it says so in line 1.");
        browser.see("2 checks fail; it says so in line 1.");
        assertThat(browser.driver().getTitle()).isEqualTo("▲ 1 · Molecule");

        browser.named("button", "Approve").click();

        browser.see("Nothing waits for you.");
        assertThat(platform.changes)
                .hasSize(1)
                .allMatch(change -> change.contains(
                        "/decide {\"decision\":\"approved\",\"decided_by\":\"human\",\"grace_seconds\":5}"));
    }

    @Test
    void what_others_say_comes_into_the_thread_and_can_be_left_out() {
        var studio = studio();
        browser.go(platform.url()).named("button.card", "Backend").click();
        browser.see("Nothing was said yet");

        platform.said(studio.get(2), "from another device", "heard you");
        platform.said(studio.get(2), studio.get(1), "make the checks pass", "they pass");

        browser.see("from another device");
        browser.see("they pass");
        assertThat(browser.find(".turn.peer .by").getText()).startsWith("Engineering Lead");
        browser.find(".people input").click();
        browser.seeNot("they pass");
        browser.see("heard you");
    }

    @Test
    void a_history_that_cannot_be_read_is_said_and_not_asked_for_again_and_again() {
        studio();
        platform.forgetful = true;
        browser.go(platform.url()).named("button.card", "Backend").click();

        browser.see("What was said before cannot be read now: datastore unavailable");

        browser.script("return new Promise((done) => setTimeout(done, 1500))");
        assertThat(platform.reads).hasSizeLessThanOrEqualTo(2); // the director's, for the composer, and this one's
    }

    @Test
    void an_agent_that_is_busy_says_how_many_are_before_and_answers_later() {
        var studio = studio();
        platform.busy = true;
        browser.go(platform.url()).named("button.card", "Backend").click();
        browser.find("agent-panel textarea").sendKeys("when you can" + Keys.ENTER);
        browser.see("Busy; 2 before you.");

        var parts = JsonArray.of(JsonObject.of("kind", "text", "text", "now I could"));
        platform.ephemeral(
                "A2A_RESPONSE",
                studio.get(2),
                JsonObject.of(
                        "queue_id", "q-1", "response_body", JsonObject.of("result", JsonObject.of("parts", parts))));

        browser.see("now I could");
        browser.seeNot("Busy;");
    }

    @Test
    void what_needs_somebody_is_gone_through_and_decided_by_keyboard() {
        var studio = studio();
        platform.asks(studio.get(2), "first thing", "");
        platform.asks(studio.get(3), "second thing", "");
        browser.go(platform.url()).see("second thing");

        browser.named("button.card", "Director").sendKeys("j");
        active().sendKeys("j");
        assertThat(focused()).contains("second thing");
        active().sendKeys("d");

        browser.seeNot("second thing");
        browser.see("first thing");
        assertThat(platform.changes).hasSize(1).allMatch(change -> change.contains("\"denied\""));
    }

    // --- for everybody

    @Test
    void twice_as_large_nothing_is_cut_off_sideways() {
        studio();
        browser.size(720, 450).go(platform.url()).see("Backend");

        assertThat(browser.script("return document.documentElement.scrollWidth <= innerWidth"))
                .isEqualTo(true);
        browser.picture("zoomed");
    }

    @Test
    void who_wants_no_motion_gets_none() {
        var studio = studio();
        browser.prefers("prefers-reduced-motion", "reduce").go(platform.url()).see("Backend");
        platform.works(studio.get(2), "fixing");
        browser.see("fixing");

        assertThat(browser.script("return document.getAnimations().length")).isEqualTo(0L);
    }

    private List<String> studio() {
        String director = platform.add("Director", "Decides", null, "online");
        String lead = platform.add("Engineering Lead", "Splits", director, "online");
        return List.of(
                director,
                lead,
                platform.add("Backend", "Builds what answers", lead, "online"),
                platform.add("Tester", "Tries to break it", lead, "online"));
    }

    private void settingsOf(String name) {
        browser.go(platform.url()).named("button.card", name).click();
        browser.named("[role=tab]", "Settings").click();
    }

    private static List<String> labels(String css) {
        return StreamSupport.stream(
                        browser.json("return [...document.querySelectorAll(\"" + css
                                        + "\")].map((one) => one.getAttribute('aria-label'))")
                                .spliterator(),
                        false)
                .map(label -> label.asText())
                .toList();
    }

    private static WebElement active() {
        return browser.driver().switchTo().activeElement();
    }

    private static String focused() {
        String label = active().getDomAttribute("aria-label");
        return label == null ? active().getText() : label;
    }
}
