package ai.molecule.canvas;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;

/** Much going wrong at once: the page says in one line what is going on, draws little of it, and goes on. */
class FaultsTest {

    private static final int MANY = 5_000;

    @Test
    void thousands_failing_at_once_are_counted_not_drawn_and_the_page_still_answers() {
        try (var platform = new StagedPlatform();
                var browser = Browser.open()) {
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
            browser.named("header button", "Work").click();
            browser.see("Nobody asked for anything yet.");
            browser.assertCalm();
        }
    }
}
