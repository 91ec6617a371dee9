package ai.molecule.canvas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.Test;

/** The browser's Back and Forward go between the places of the page, and leave it only from the first one. */
class GoingBackTest extends VisitToThePage {

    @Test
    void back_leads_through_the_screens_and_agents_that_were_looked_at_and_forward_again() {
        var studio = studio();
        browser.go(platform.url()).named("header button", "List").click();
        browser.see("Builds what answers");
        browser.named("header button", "Map").click();
        browser.named("button.card", "Backend").click();
        browser.find("agent-panel");
        browser.named("header button", "System").click();
        browser.find("platform-screen");

        browser.driver().navigate().back();
        browser.find("organisation-map");
        assertThat(browser.find("agent-panel h2").getText()).isEqualTo("Backend");
        assertThat(browser.driver().getCurrentUrl()).endsWith("#" + studio.get(2));
        browser.driver().navigate().back();
        await().until(() -> !browser.isThere("agent-panel"));
        browser.driver().navigate().back();
        browser.find("organisation-list");
        browser.driver().navigate().back();
        browser.find("organisation-map");
        browser.driver().navigate().forward();
        browser.find("organisation-list");
        browser.driver().navigate().back();
        browser.driver().navigate().back();

        assertThat(browser.driver().getCurrentUrl()).isEqualTo("about:blank"); // where it was before
    }

    @Test
    void a_place_that_is_looked_at_again_is_no_step_of_its_own() {
        studio();
        browser.go(platform.url()).named("button.card", "Backend").click();
        browser.find("agent-panel");
        for (int again = 0; again < 3; again++) {
            browser.named("header button", "Map").click();
        }

        browser.driver().navigate().back();

        await().until(() -> !browser.isThere("agent-panel"));
        browser.find("organisation-map");
    }
}
