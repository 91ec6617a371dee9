package ai.molecule.canvas;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** Going back along the line of time: the page shows how it was, does nothing there, and comes back. */
class TimeTest extends VisitToThePage {

    private String writer;

    @BeforeEach
    void organisation() {
        String lead = platform.add("Team Lead", "Asks the team", null, "online");
        writer = platform.add("Writer", "Writes", lead, "online");
        platform.work.asked("Write it up", lead, "done", 60).task(writer, lead, "ok", 5, 25, "a first draft");
        platform.answers.put(
                "/org", JsonObject.of("workspaces", JsonArray.of(row(lead, "Team Lead"), row(writer, "Old Writer"))));
    }

    @Test
    void a_link_to_a_moment_shows_who_worked_on_what_and_nothing_can_be_done_there() {
        platform.asks(writer, "publish", "");

        browser.go(platform.url() + "?at=" + Instant.now().minusSeconds(48)).see("Nothing can be done there");

        browser.named("button.card", "Old Writer");
        browser.see("a first draft");
        assertThat(browser.find("button.more-agents").isEnabled()).isFalse();
        assertThat(browser.isThere(".ask")).isFalse();
        browser.named("button.card", "Old Writer").click();
        browser.named("[role=tab]", "Settings").click();
        assertThat(browser.named("agent-panel button", "Delete").isEnabled()).isFalse();
        assertThat(platform.changes).isEmpty();

        browser.named("time-bar button", "Live").click();
        browser.seeNot("Nothing can be done there");
        browser.seeNot("Old Writer");
        assertThat(browser.driver().getCurrentUrl()).doesNotContain("at=");
        browser.assertCalm();
    }

    @Test
    void a_link_to_a_moment_and_a_piece_of_work_opens_the_same_picture_for_a_colleague() {
        var piece =
                platform.work.asked("Is it ready?", writer, "done", 60).said(writer, null, "Not ready: 2 of 48.", 29);
        String link = platform.url() + "?at=" + Instant.now().minusSeconds(45) + "#work=" + piece.id();
        String seen = open(link);
        assertThat(seen)
                .contains("Is it ready?", "working", "Nothing can be done there")
                .doesNotContain("Not ready");
        String address = browser.driver().getCurrentUrl();
        assertThat(address).contains("?at=", "#work=" + piece.id());

        browser.go("about:blank");
        platform.asks(writer, "publish", ""); // what happens meanwhile changes nothing of then
        assertThat(open(address)).isEqualTo(seen);
        browser.go("about:blank");
        browser.go(address.replaceAll("\\?at=[^#]*", "")).see("Not ready: 2 of 48.");
        browser.assertCalm();
    }

    private static String open(String link) {
        browser.go(link).see("Nothing can be done there");
        browser.find(".piece-of-work h2");
        return browser.find(".piece-of-work").getText()
                + browser.find(".away.then").getText();
    }

    @Test
    void by_keyboard_alone_back_and_to_now() {
        browser.go(platform.url()).see("Writer");

        browser.find("time-bar input").sendKeys(Keys.HOME);
        browser.see("Nothing can be done there");
        assertThat(browser.driver().getCurrentUrl()).contains("?at=");
        assertThat(browser.find("time-bar input").getDomAttribute("aria-valuetext"))
                .matches("\\d\\d:\\d\\d:\\d\\d");

        browser.find("button.card").sendKeys("n");
        browser.seeNot("Nothing can be done there");
    }

    @Test
    void a_moment_that_cannot_be_read_leaves_the_page_as_it_is_and_says_so() {
        browser.go(platform.url()).see("Writer");
        platform.answers.put("/org", JsonObject.of("error", "events are kept for 90 days"));

        browser.find("time-bar input").sendKeys(Keys.HOME);

        browser.see("That moment cannot be read now: events are kept for 90 days");
        browser.seeNot("Nothing can be done there");
    }

    private static JsonObject row(String id, String name) {
        return new JsonObject()
                .put("id", id)
                .put("name", name)
                .putNull("role")
                .putNull("parent_id")
                .put("status", "online");
    }
}
