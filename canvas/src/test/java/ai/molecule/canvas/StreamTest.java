package ai.molecule.canvas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonObject;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;

/** One store and its one stream: what happens is seen as it happens, and a break misses nothing. */
class StreamTest extends VisitToThePage {

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
        await().until(() -> labels("button.card").size() == 4);
    }

    @Test
    void a_lost_socket_goes_on_where_it_was_and_misses_nothing() {
        var studio = studio();
        browser.go(platform.url()).see("Backend");
        platform.becomes(studio.get(2), "paused", "WORKSPACE_PAUSED", new JsonObject());
        browser.see("paused since");

        platform.die();
        browser.see("Disconnected since");
        platform.becomes(studio.get(2), "online", "WORKSPACE_ONLINE", new JsonObject());
        platform.asks(studio.get(3), "publish the report", "");
        platform.revive();

        browser.see("publish the report");
        browser.seeNot("Disconnected since");
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
        browser.seeNot("Disconnected since");
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
}
