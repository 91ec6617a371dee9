package ai.molecule.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.canvas.Browser;
import java.nio.file.Path;
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

/** A person at the page of the platform that {@code ./molecule up} starts, with the example organisation: one visit, step by step. */
@Tag("full")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class CanvasIT {

    private static Browser browser;
    private static Platform platform;

    @BeforeAll
    static void visit(@TempDir Path data) {
        browser = Browser.open();
        platform = Platform.up(data, "--demo", "small");
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
    void the_launcher_says_where_the_page_is_and_it_shows_who_is_there() {
        assertThat(platform.standardError()).contains("open " + platform.url + " to see and steer it");
        browser.see("These 3 agents work for you.");
        browser.named("button.card", "Team Lead");
        browser.named("button.card", "Researcher");
        platform.awaitStatus(idOf("Writer"), "online");
        browser.picture("real-first-visit");
    }

    @Test
    @Order(2)
    void enter_asks_the_lead_who_asks_the_others_and_all_of_it_is_seen() {
        platform.awaitStatus(idOf("Team Lead"), "online");
        platform.awaitStatus(idOf("Researcher"), "online");
        browser.find("ask-composer textarea").sendKeys(Keys.ENTER);

        browser.see("Researcher: Echo: what do we know?");
        browser.see("Writer: Echo: say hello");
        browser.see("✓");
        browser.picture("real-answered");
    }

    @Test
    @Order(3)
    void what_was_said_is_there_after_a_reload_answers_of_streams_too() {
        browser.go(platform.url + "/#" + idOf("Team Lead"));
        browser.driver().navigate().refresh();

        browser.see("ask Researcher: what do we know?");
        browser.see("Writer: Echo: say hello");
        platform.post(
                202,
                "/workspaces/" + idOf("Team Lead") + "/delegate",
                "{\"target_id\":\"" + idOf("Writer") + "\",\"task\":\"write it up\"}");
        browser.see("Writer answered Team Lead: Echo: write it up");
        browser.named("button.card", "Writer").click();
        browser.see("Echo: write it up");
    }

    @Test
    @Order(4)
    void what_an_agent_may_not_do_alone_is_decided_here() {
        String writer = idOf("Writer");
        var asked = platform.post(
                201,
                "/workspaces/" + writer + "/approvals",
                "{\"action\":\"publish report.html to ./out\",\"reason\":\"two checks fail; it says so in line 1\"}");
        browser.see("publish report.html to ./out");
        browser.picture("real-needs-you");

        browser.named("button", "Approve: publish report.html").click();

        browser.see("Inbox zero");
        await().untilAsserted(() -> {
            var decided = platform.get("/workspaces/" + writer + "/approvals").get(0);
            assertThat(decided.get("id")).isEqualTo(asked.get("approval_id"));
            assertThat(decided.get("status").asText()).isEqualTo("approved");
        });
    }

    @Test
    @Order(5)
    void a_pulled_plug_is_seen_and_heals() {
        platform.agentProcess(idOf("Researcher")).destroyForcibly();

        browser.see("Researcher is offline");
        await().untilAsserted(() -> assertThat(
                        browser.named("button.card", "Researcher").getDomAttribute("class"))
                .contains("mood-idle"));
        platform.awaitStatus(idOf("Researcher"), "online");
    }

    @Test
    @Order(6)
    void an_agent_that_cannot_start_says_why() {
        String odd = platform.create("Odd", "langgraph", null);

        browser.see("cannot start:");
        browser.named("button.card", "Odd").click();
        browser.named("[role=tab]", "Settings").click();
        browser.see("It cannot start. Model:");
        browser.picture("real-failed");

        browser.named("agent-panel button", "Delete…").click();
        browser.named("dialog button", "Delete").click();
        browser.see("Odd was deleted.");
        await().until(() -> platform.status(odd).equals("removed"));
    }

    @Test
    @Order(7)
    void pausing_and_moving_are_carried_out() {
        String writer = idOf("Writer");
        browser.named("button.card", "Writer").click();
        browser.named("[role=tab]", "Settings").click();
        browser.named("agent-panel button", "Pause").click();
        await().until(() -> platform.status(writer).equals("paused"));
        browser.named("agent-panel button", "Resume").click();
        platform.awaitStatus(writer, "online");

        browser.named("agent-panel button", "Move…").click();
        browser.find("dialog select").sendKeys("Team of Researcher");
        browser.see("No longer to"); // the platform told what it would change
        browser.named("dialog button", "Move").click();

        String researcher = idOf("Researcher");
        await().until(() ->
                platform.get("/workspaces/" + writer).get("parent_id").asText().equals(researcher));
        browser.see("Writer moved to Researcher.");
        browser.picture("real-moved");
    }

    @Test
    @Order(8)
    void settings_are_changed_held_against_how_they_were_and_brought_back() {
        String writer = idOf("Writer");
        String role = roleOf(writer);
        var field = browser.find(".settings input[name=role]");
        field.clear();
        field.sendKeys("Writes poems" + Keys.ENTER);
        await().until(() -> roleOf(writer).equals("Writes poems"));
        browser.named("button.version", "what it does");

        browser.script("document.querySelectorAll('button.version')[1].focus()");
        browser.keys(Keys.ENTER);
        browser.see("Restoring would change:");
        browser.named("button", "Restore version").sendKeys(Keys.ENTER);

        await().until(() -> roleOf(writer).equals(role));
        browser.named("button.version", "Restored version");
        browser.picture("real-versions");
    }

    @Test
    @Order(9)
    void what_the_clock_tells_an_agent_is_made_here_and_stands_on_home() {
        browser.named(".by-clock summary", "New schedule").click();
        browser.find(".clock textarea").sendKeys("What rhymes?");
        browser.named(".clock button", "Save").click();
        browser.see("SCHEDULED");
        browser.named("button", "Run What rhymes? now").click();

        browser.named("[role=tab]", "Chat").click();
        browser.see("Schedule");
        browser.see("Echo: What rhymes?");
        browser.picture("real-by-the-clock");
    }

    @Test
    @Order(10)
    void the_rule_that_refuses_and_who_did_what_are_read_from_the_platform() {
        browser.named("[role=tab]", "Settings").click();
        browser.named(".explain summary", "Check access").click();
        browser.find(".explain select").sendKeys("Team Lead");
        browser.see("No. A workspace talks to its parent, its children and its siblings");

        browser.named("header button", "System").click();
        browser.see("created a schedule of Writer");
        browser.named("header button", "$0.00 this month").click();
        browser.see("No model calls yet.");
        browser.keys(Keys.ESCAPE);
    }

    @Test
    @Order(11)
    void nothing_was_refused_and_nobody_else_was_asked() {
        browser.assertCalm();
    }

    private static String roleOf(String id) {
        return platform.get("/workspaces/" + id).get("role").asText();
    }

    private static String idOf(String name) {
        return StreamSupport.stream(platform.get("/workspaces").spliterator(), false)
                .filter(row -> row.get("name").asText().equals(name))
                .map(row -> row.get("id").asText())
                .findFirst()
                .orElseThrow(() -> new AssertionError("nobody is called " + name));
    }
}
