package ai.molecule.canvas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A decision can be taken back for a moment, by whoever decides wherever they are. */
class DecidingTest extends VisitToThePage {

    private String writer;

    @BeforeEach
    void organisation() {
        platform.graceful = true;
        writer = platform.add("Writer", "Writes", platform.add("Team Lead", "Asks the team", null, "online"), "online");
    }

    @Test
    void what_was_approved_is_taken_back_while_its_grace_lasts() {
        String approval = platform.asks(writer, "publish report.html", "2 checks fail");
        browser.go(platform.url()).named("button", "Approve: publish").click();
        browser.see("Approving in");
        assertThat(browser.driver().getTitle()).isEqualTo("Molecule");

        browser.named("button", "Undo: publish").click();

        browser.named("button", "Approve: publish");
        assertThat(platform.changes)
                .last()
                .asString()
                .startsWith("DELETE /workspaces/" + writer + "/approvals/" + approval + "/decide");
        assertThat(browser.driver().getTitle()).isEqualTo("▲ 1 · Molecule");
    }

    @Test
    void by_keyboard_too() {
        platform.asks(writer, "publish report.html", "");
        browser.go(platform.url()).named("button.card", "Writer").sendKeys("j");
        browser.keys("d");
        browser.see("Denying in");

        browser.keys("u");

        browser.named("button", "Approve: publish");
        await().untilAsserted(() -> assertThat(platform.changes).hasSize(2));
    }

    @Test
    void on_a_phone_it_comes_first_and_its_buttons_are_for_thumbs() {
        platform.asks(writer, "publish report.html", "2 checks fail");
        browser.size(390, 844).go(platform.url()).see("2 checks fail");

        var button = browser.named("button", "Approve: publish");

        assertThat(button.getSize().height).isGreaterThanOrEqualTo(48);
        assertThat(button.getLocation().y).isLessThan(844);
        button.click();
        browser.see("Approving in");
    }

    @Test
    void an_answer_that_waits_for_a_person_is_decided_once_and_shown_when_the_platform_said_so() {
        platform.graceful = false;
        var studio = studio();
        browser.go(platform.url()).see("Inbox zero");
        platform.asks(studio.get(3), "publish report.html to ./out", "2 checks fail; it says so in line 1.");
        browser.see("2 checks fail; it says so in line 1.");
        assertThat(browser.driver().getTitle()).isEqualTo("▲ 1 · Molecule");

        browser.named("button", "Approve").click();

        browser.see("Inbox zero");
        assertThat(platform.changes)
                .hasSize(1)
                .allMatch(
                        change -> change.contains(
                                "/decide {\"decision\":\"approved\",\"decided_by\":\"human\",\"grace_seconds\":5,\"shown\":\"page\"}"));
    }

    @Test
    void what_needs_somebody_is_gone_through_and_decided_by_keyboard() {
        platform.graceful = false;
        var studio = studio();
        platform.asks(studio.get(2), "first thing", "");
        platform.asks(studio.get(3), "second thing", "");
        browser.go(platform.url()).see("second thing");

        browser.named("button.card", "Director").sendKeys("j");
        keys("j");
        await().until(() -> browser.focused().contains("second thing"));
        keys("d");

        browser.seeNot("second thing");
        browser.see("first thing");
        assertThat(platform.changes).hasSize(1).allMatch(change -> change.contains("\"denied\""));
    }

    @Test
    void on_a_phone_a_finger_that_wipes_one_aside_comes_to_the_next_and_decides_nothing() {
        String first = platform.asks(writer, "publish report.html", "");
        platform.asks(writer, "send the mail", "");
        platform.asks(writer, "delete the draft", "");
        browser.size(390, 844).go(platform.url() + "#needs=" + first).named("button", "Approve: publish");

        for (String next : new String[] {"Approve: send", "Approve: delete", "Approve: publish"}) {
            Finger.inTheMiddleOf(browser.find(".needs-page .about")).swipes(browser, -160, 10);
            browser.named("button", next); // round and round: all are come by
        }
        Finger.inTheMiddleOf(browser.find(".needs-page .about")).swipes(browser, 20, -120); // that reads on
        browser.named("button", "Next: Writer").click();

        browser.named("button", "Approve: send");
        assertThat(platform.changes).isEmpty();
    }

    @Test
    void on_a_phone_an_open_agent_hides_nothing_that_waits() {
        platform.asks(writer, "publish report.html", "");
        browser.size(390, 844).go(platform.url() + "#" + writer);

        browser.named("agent-panel button", "1 needs you").click();

        browser.find(".needs-page");
        browser.named("button", "Approve: publish");
        assertThat(browser.isThere("agent-panel")).isFalse();
    }
}
