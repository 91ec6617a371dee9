package ai.molecule.canvas;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whoever comes back reads what became of things meanwhile, in one line. */
class ReturningTest extends VisitToThePage {

    private List<String> studio;

    @BeforeEach
    void organisation() {
        studio = studio();
        platform.answers.put("/org", JsonObject.of("workspaces", new JsonArray()));
    }

    @Test
    void since_yesterday_is_told_once_and_leads_to_how_it_was_then() {
        platform.work.asked("Sort the archive", studio.get(0), "done", 600).costs(1.2, null, true);
        platform.work.asked("Ship it", studio.get(0), "failed", 400).costs(0.3, null, true);
        platform.work.asked("Draft it", studio.get(0), "stopped", 300);
        platform.asks(studio.get(3), "publish report.html", "");
        leftBefore(Duration.ofHours(24));

        browser.go(platform.url());

        assertThat(browser.find(".returning p").getText())
                .matches("Since yesterday \\d\\d:\\d\\d: 1 done, 1 failed, 1 stopped, 1 waits for you, \\$1\\.50\\.");
        browser.picture("returning");
        assertThat(browser.seriousFindings()).isEmpty();
        browser.named("button", "How it was then").click();
        browser.see("Nothing can be done there");
        assertThat(browser.isThere(".returning")).isFalse();
    }

    @Test
    void who_was_away_for_a_moment_and_who_missed_nothing_read_nothing() {
        platform.work.asked("Sort the archive", studio.get(0), "done", 7200);
        leftBefore(Duration.ofMinutes(30));
        browser.go(platform.url() + "#work").see("Sort the archive"); // where what ended before midnight stands, too
        assertThat(browser.isThere(".returning")).isFalse();

        platform.asks(studio.get(3), "publish report.html", "");
        leftBefore(Duration.ofMinutes(2));
        browser.go(platform.url()).see("publish report.html");
        assertThat(browser.isThere(".returning")).isFalse();
    }

    @Test
    void what_was_read_is_closed_by_keyboard_and_leaving_is_noted() {
        platform.asks(studio.get(3), "publish report.html", "");
        leftBefore(Duration.ofHours(3));
        browser.go(platform.url())
                .named("button", "Close what happened since you left")
                .sendKeys("\n");
        browser.seeNot("waits for you");

        browser.go(platform.url() + "ui/files.txt");

        assertThat(browser.json("return Date.now() - Number(localStorage.getItem('molecule.left')) < 600000")
                        .asBoolean())
                .isTrue();
    }

    /** As this browser would have kept it: another document of the platform, for the page notes when it is left. */
    private void leftBefore(Duration ago) {
        browser.go(platform.url() + "ui/files.txt");
        browser.script("localStorage.setItem('molecule.left', String(Date.now() - arguments[0]))", ago.toMillis());
    }
}
