package ai.molecule.canvas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** Whoever comes for the first time may begin at once. */
class FirstVisitTest extends VisitToThePage {

    @Test
    void the_composer_has_the_focus_and_escape_gives_the_keys_back() {
        studio();
        browser.go(platform.url()).see("Backend");
        await().until(() -> browser.ofTheFocus("focus.localName").equals("textarea"));
        browser.picture("first-visit");

        keys("!");
        assertThat(browser.find(".ask textarea").getDomProperty("value")).endsWith("!");
        keys(Keys.ESCAPE, "l");

        browser.find("organisation-list");
    }

    @Test
    void whoever_asked_before_is_not_put_into_the_composer() {
        String director = studio().getFirst();
        platform.talk.said(director, "What do we know?", "Not much.");
        browser.go(platform.url()).see("Backend");
        browser.script("return new Promise((done) => setTimeout(done, 1_500))"); // what was said is read by then

        assertThat(browser.ofTheFocus("focus.localName")).isEqualTo("body");
    }
}
