package ai.molecule.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.canvas.Browser;
import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;

/**
 * The first minute of somebody who has just typed {@code ./molecule up}: the example <em>Club Calendar</em> in a real Chromium, from the
 * first picture to the report and back through time. How long each step took is printed; that it comes at all is what is asserted, since a
 * busy machine is no failure.
 */
@Tag("full")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class FirstMinuteIT {

    private static final Duration LONG = Duration.ofMinutes(3);

    /** Presses "Pull its plug" as soon as it is there, once. */
    private static final String PULL_PLUG = """
            new MutationObserver((_, self) => {
              const plug = document.querySelector('button.plug');
              if (!plug) return;
              self.disconnect();
              plug.click();
              window.pulled = true;
            }).observe(document.body, { subtree: true, childList: true });
            """;

    private static Browser browser;
    private static Platform platform;
    private static long asked;
    private static String report = "";

    @BeforeAll
    static void visit(@TempDir Path data) {
        browser = Browser.open();
        platform = Platform.up(data);
        browser.size(1440, 900).go(platform.url + "/");
    }

    @AfterAll
    static void leave() {
        if (browser != null) {
            browser.close();
        }
        if (platform != null) {
            platform.close();
        }
    }

    @Test
    @Order(1)
    void four_stand_there_and_nothing_starts_before_enter() {
        browser.see("These 4 agents work on this machine with recorded model answers; files and commands are real.");
        for (String name : new String[] {"Team Lead", "Researcher", "Tester", "Writer"}) {
            platform.awaitStatus(idOf(name), "online");
            browser.named("button.card", name);
        }
        assertThat(browser.find("ask-composer textarea").getDomProperty("value"))
                .isEqualTo("Is the club calendar ready to release? One page, please.");
        assertThat(platform.get("/work")).isEmpty();
        browser.picture("minute-0-first-visit");
    }

    @Test
    @Order(2)
    void enter_begins_and_each_card_says_its_step() {
        asked = System.nanoTime();
        browser.script(PULL_PLUG); // by whoever is quick enough: a test on a busy machine is not
        browser.find("ask-composer textarea").sendKeys(Keys.ENTER);

        browser.see("I ask three.");
        browser.named("button.entry.work", "Is the club calendar ready");
        at("it is under way");
        browser.picture("minute-1-at-work");
    }

    @Test
    @Order(3)
    void a_pulled_plug_heals_and_the_work_goes_on() {
        await().atMost(LONG).until(() -> Boolean.TRUE.equals(browser.script("return window.pulled")));
        browser.picture("minute-2-plug-pulled");

        browser.see("46 of 48 checks pass.");
        at("46 of 48");
        platform.awaitStatus(idOf("Tester"), "online");
    }

    @Test
    @Order(4)
    void the_writer_asks_and_a_person_decides() {
        browser.find("[data-approval]");
        browser.see("publish report.html to ./out");
        browser.see("2 of 48 checks fail; it says so in line 1.");
        at("needs you");
        browser.picture("minute-3-needs-you");

        browser.named("button", "Approve: publish report.html").click();
        browser.see("Approving");
    }

    @Test
    @Order(5)
    void the_report_opens_by_itself_with_what_it_took() {
        assertThat(browser.find(".paper h4.title").getText()).isEqualTo("Not ready: 2 of 48 checks fail");
        at("the report");
        browser.see("4 agents");
        browser.see("1 decision by you");
        browser.see("$0.00");
        for (String name : new String[] {"Team Lead", "Researcher", "Tester", "Writer"}) {
            browser.named(".task", name);
        }
        report = reportOf(platform.get("/work").get(0).get("id").asText());
        browser.picture("minute-4-report");
        browser.named("button.start", "Connect Claude Code");
        browser.named("button.start", "Add API key");
        browser.named("button.start", "Import team");
    }

    @Test
    @Order(6)
    void the_line_leads_back_to_when_the_writer_waited_and_forward_again() {
        var work = platform.get("/work").get(0);
        var requested = event("APPROVAL_REQUESTED");
        browser.named("header button", "Map").click();
        browser.script("history.replaceState(null, '', location.pathname)");

        browser.go(platform.url + "/?at=" + requested.get("created_at").asText().replaceAll("\\.\\d+Z", ".999Z"));

        browser.see("Nothing can be done there");
        browser.named("button.card", "Writer");
        browser.see("publish report.html to ./out");
        assertThat(browser.find("[data-approval] button.primary").isEnabled()).isFalse();
        assertThat(work.get("state").asText()).isEqualTo("done");
        browser.picture("minute-5-past");

        browser.named("button", "Live").click();
        browser.see("Inbox zero");
    }

    @Test
    @Order(7)
    void asked_again_without_a_pulled_plug_the_report_is_the_same_to_the_byte() {
        String second = platform.post(
                        201,
                        "/work",
                        "{\"title\":\"Is the club calendar ready to release? One page, please.\",\"to\":\""
                                + idOf("Team Lead") + "\"}")
                .get("id")
                .asText();
        browser.named("button", "Approve: publish report.html").click();
        await().atMost(LONG)
                .until(() ->
                        platform.get("/work/" + second).get("state").asText().equals("done"));

        assertThat(reportOf(second)).isNotEmpty().isEqualTo(report);
    }

    @Test
    @Order(8)
    void nothing_was_refused_and_nobody_else_was_asked() {
        browser.assertCalm();
    }

    private static void at(String what) {
        System.out.printf("first minute: %s %.1f s after Enter%n", what, (System.nanoTime() - asked) / 1e9);
    }

    /** What the first file of the work says. */
    private static String reportOf(String work) {
        var file = platform.get("/work/" + work).get("files").get(0);
        String path = file.get("uri").asText().replaceFirst("^workspace:/workspace/", "");
        return platform.get("/workspaces/" + file.get("workspace_id").asText() + "/files/" + path + "?root=/workspace")
                .get("content")
                .asText();
    }

    private static JsonNode event(String type) {
        return StreamSupport.stream(platform.get("/events?limit=100").spliterator(), false)
                .filter(row -> row.get("event_type").asText().equals(type))
                .findFirst()
                .orElseThrow();
    }

    private static String idOf(String name) {
        return StreamSupport.stream(platform.get("/workspaces").spliterator(), false)
                .filter(row -> row.get("name").asText().equals(name))
                .map(row -> row.get("id").asText())
                .findFirst()
                .orElseThrow(() -> new AssertionError("nobody is called " + name));
    }
}
