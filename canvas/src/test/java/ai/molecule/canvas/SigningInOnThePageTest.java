package ai.molecule.canvas;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.URLEncoder;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** Where the platform has a key, the page asks for it once and keeps nothing of it. */
class SigningInOnThePageTest extends VisitToThePage {

    @Test
    void a_platform_with_a_key_is_asked_with_it_and_a_wrong_one_is_said_to_be_wrong() {
        studio();
        platform.door.key = "secret";
        browser.go(platform.url()).find("#key").sendKeys("guess" + Keys.ENTER);
        browser.see("That key does not open it.");

        var field = browser.find("#key");
        field.clear();
        field.sendKeys("secret" + Keys.ENTER);

        browser.see("Backend");
        assertThat(browser.script(
                        "return JSON.stringify([localStorage.length, sessionStorage.length, document.cookie])"))
                .isEqualTo("[0,0,\"\"]");
        browser.go(platform.url()).see("Backend"); // the browser keeps what the page cannot read

        browser.named("button", "Sign out").click();
        browser.see("asks who you are");
        assertThat(platform.changes).containsExactly("DELETE /session");
    }

    @Test
    void who_was_led_here_to_sign_in_goes_back_and_nowhere_else() {
        studio();
        platform.door.key = "secret";
        browser.go(platform.url() + "?next=%2Fui%2Ffiles.txt%3Fa%3Db")
                .find("#key")
                .sendKeys("secret" + Keys.ENTER);
        await().untilAsserted(() ->
                assertThat(browser.driver().getCurrentUrl()).isEqualTo(platform.url() + "ui/files.txt?a=b"));

        for (String elsewhere : List.of("http://127.0.0.1:1/", "//127.0.0.1:1/", "javascript:window.hit=1")) {
            browser.go(platform.url() + "?next=" + URLEncoder.encode(elsewhere, UTF_8))
                    .see("Backend");
            assertThat(browser.script("return window.hit")).isNull();
        }
    }

    @Test
    void a_session_that_ends_asks_again_and_keeps_what_was_written() {
        studio();
        platform.door.key = "secret";
        browser.go(platform.url()).find("#key").sendKeys("secret" + Keys.ENTER);
        browser.find("ask-composer textarea").sendKeys("half a thought");

        platform.door.key = "changed";
        platform.cut();
        browser.see("what you wrote is kept");
        browser.find("#key").sendKeys("changed" + Keys.ENTER);

        browser.see("Backend");
        assertThat(browser.find("ask-composer textarea").getDomProperty("value"))
                .endsWith("half a thought");
    }
}
