package ai.molecule.canvas;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;

/** Much going wrong at once: the page says in one line what is going on, draws little of it, and goes on. */
class FaultsTest extends VisitToThePage {

    private static final int MANY = 5_000;

    @Test
    void a_socket_that_is_cut_every_second_is_said_in_one_line_and_misses_nothing() {
        var studio = studio();
        browser.go(platform.url()).see("Backend");
        var cutting = new Thread(() -> {
            while (!Thread.currentThread().isInterrupted()) {
                platform.cut();
                LockSupport.parkNanos(Duration.ofSeconds(1).toNanos());
            }
        });
        cutting.start();
        try {
            browser.see("times in half a minute and taken up again each time");
            platform.works(studio.get(2), "fixing test 3 of 5");
            platform.asks(studio.get(3), "publish the report", "");

            browser.see("publish the report");
            browser.see("fixing test 3 of 5");
            browser.picture("cut-every-second");
        } finally {
            cutting.interrupt();
        }
        browser.script("const now = Date.now; Date.now = () => now() + 31_000"); // half a minute later
        browser.seeNot("times in half a minute");
    }

    @Test
    void a_platform_whose_database_is_away_is_said_to_be_while_its_stream_lives_and_comes_back() {
        var studio = studio();
        browser.go(platform.url()).see("Backend");
        platform.away = "platform datastore unavailable — retry shortly";
        browser.script("document.dispatchEvent(new Event('visibilitychange'))");

        browser.see("the platform cannot read its data: its database does not answer");
        browser.see("Nothing is lost");
        browser.picture("database-away");
        platform.inbox.mute = true;
        platform.asks(studio.get(3), "publish the report", "");
        platform.away = null;
        browser.named("button", "Try now").click();

        browser.see("publish the report");
        browser.seeNot("cannot read its data");
    }

    @Test
    void a_page_that_is_opened_while_the_database_is_away_says_so_and_goes_on_by_itself() {
        studio();
        platform.away = "platform datastore unavailable — retry shortly";
        browser.go(platform.url()).see("The platform answers, but cannot read its data: its database does not answer");

        platform.away = null;

        browser.see("Backend");
    }

    @Test
    void thousands_failing_at_once_are_counted_not_drawn_and_the_page_still_answers() {
        List<String> ids = new ArrayList<>();
        String lead = platform.add("Lead", "Leads all of them", null, "online");
        for (int i = 0; i < MANY; i++) {
            ids.add(platform.add("Agent " + i, "Does its part", lead, "online"));
        }
        browser.size(1440, 900).go(platform.url()).see(MANY + 1 + " agents");

        for (String id : ids) {
            platform.becomes(
                    id, "failed", "WORKSPACE_PROVISION_FAILED", JsonObject.of("error", "no key for Anthropic"));
        }

        browser.see(MANY + " need you");
        browser.see("and " + (MANY - 20) + " more");
        assertThat(browser.driver().findElements(By.cssSelector("article.decide")))
                .hasSize(20);
        browser.named("header button", "Runs").click();
        browser.see("No runs yet.");
        browser.assertCalm();
    }
}
