package ai.molecule.canvas;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
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
        assertThat(browser.script("return JSON.stringify([{...localStorage}, sessionStorage.length, document.cookie])"))
                .isEqualTo("[{\"molecule.session\":\"half-of-secret\"},0,\"\"]");
        browser.go(platform.url()).see("Backend"); // the browser keeps what the page cannot read

        browser.named("button", "Sign out").click();
        browser.see("asks who you are");
        assertThat(platform.changes).containsExactly("DELETE /session");
        assertThat(browser.script("return String(localStorage.getItem('molecule.session'))"))
                .isEqualTo("null");
    }

    @Test
    void the_cookie_without_the_secret_of_this_origin_is_nobody_and_a_file_is_saved_with_both() {
        String backend = studio().get(2);
        platform.door.key = "secret";
        platform.talk.files = JsonArray.of(JsonObject.of(
                "kind",
                "file",
                "file",
                JsonObject.of("uri", "workspace:/workspace/out/report.html", "name", "report.html")));
        platform.answers.put("/workspaces/" + backend + "/chat/download", Buffer.buffer("<p>the report</p>"));
        browser.go(platform.url()).find("#key").sendKeys("secret" + Keys.ENTER);
        browser.named("button.card", "Backend").click();
        browser.find("agent-panel textarea").sendKeys("Count these" + Keys.ENTER);
        browser.see("report.html");
        browser.script(
                "window.saved = []; const of = URL.createObjectURL; URL.createObjectURL = (blob) => { blob.text().then((words) => window.saved.push(words)); return of.call(URL, blob); }");
        browser.named(".turn.agent a", "report.html").click();
        await().untilAsserted(() ->
                assertThat(browser.script("return window.saved.join()")).isEqualTo("<p>the report</p>"));

        browser.script("localStorage.clear()");
        browser.go(platform.url()).see("asks who you are");
        assertThat(browser.driver().manage().getCookieNamed("molecule_session")).isNotNull();
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
