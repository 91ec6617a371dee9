package ai.molecule.canvas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A decision can be taken back for a moment, by whoever decides wherever they are. */
class DecidingTest {

    private static Browser browser;
    private StagedPlatform platform;
    private String writer;

    @BeforeAll
    static void open() {
        browser = Browser.open();
    }

    @BeforeEach
    void stage() {
        platform = new StagedPlatform();
        platform.graceful = true;
        writer = platform.add("Writer", "Writes", platform.add("Team Lead", "Asks the team", null, "online"), "online");
        browser.go("about:blank").size(1440, 900);
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

    @Test
    void what_was_approved_is_taken_back_while_its_grace_lasts() {
        String approval = platform.asks(writer, "publish report.html", "2 checks fail");
        browser.go(platform.url()).named("button", "Approve: publish").click();
        browser.see("Approved, in");
        assertThat(browser.driver().getTitle()).isEqualTo("Molecule");

        browser.named("button", "Take it back: publish").click();

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
        browser.driver().switchTo().activeElement().sendKeys("d");
        browser.see("You said no, in");

        browser.driver().switchTo().activeElement().sendKeys("u");

        browser.named("button", "Approve: publish");
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(platform.changes).hasSize(2));
    }

    @Test
    void on_a_phone_it_comes_first_and_its_buttons_are_for_thumbs() {
        platform.asks(writer, "publish report.html", "2 checks fail");
        browser.size(390, 844).go(platform.url()).see("2 checks fail");

        var button = browser.named("button", "Approve: publish");

        assertThat(button.getSize().height).isGreaterThanOrEqualTo(48);
        assertThat(button.getLocation().y).isLessThan(844);
        button.click();
        browser.see("Approved, in");
    }
}
