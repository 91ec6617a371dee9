package ai.molecule.canvas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** Talking with agents, and stopping them. */
class TalkTest extends VisitToThePage {

    @Test
    void the_first_visit_begins_with_a_sentence_and_a_filled_composer_and_nothing_starts_before_enter() {
        var studio = studio();
        platform.answer = "Engineering Lead: hello";
        browser.go(platform.url()).see("These 4 agents work for you.");
        var box = browser.find("ask-composer textarea");
        await().atMost(Duration.ofSeconds(60))
                .until(() -> String.valueOf(box.getDomProperty("value")).startsWith("ask Engineering Lead"));
        assertThat(platform.changes).isEmpty();

        box.sendKeys(Keys.ENTER);

        browser.see("Engineering Lead: hello");
        assertThat(platform.changes)
                .hasSize(1)
                .allMatch(change -> change.startsWith("POST /workspaces/" + studio.get(0) + "/a2a"));
        browser.seeNot("These 4 agents work for you.");
        browser.see("✓");
    }

    @Test
    void an_answer_under_way_is_stopped_at_the_agent_too() {
        var studio = studio();
        platform.answer = "";
        browser.go(platform.url()).named("button.card", "Backend").click();
        browser.find("agent-panel textarea").sendKeys("go on for ever" + Keys.ENTER);
        browser.see("works on it");

        browser.named("agent-panel button", "Stop").click();

        browser.see("Stopped.");
        await().atMost(Duration.ofSeconds(60))
                .until(() -> platform.changes.stream()
                        .anyMatch(change -> change.startsWith("POST /workspaces/" + studio.get(2) + "/a2a")
                                && change.contains("\"method\":\"tasks/cancel\"")
                                && change.contains("task-1")));
    }

    @Test
    void what_could_not_be_sent_stays_with_the_writer() {
        studio();
        browser.go(platform.url()).named("button.card", "Backend").click();
        browser.see("Nothing was said yet");
        platform.die();
        browser.find("agent-panel textarea").sendKeys("are you there?" + Keys.ENTER);

        browser.see("Not sent yet");
        assertThat(browser.find("agent-panel textarea").getDomProperty("value")).isEqualTo("are you there?");
        platform.revive();
        browser.seeNot("Not live since");
        browser.find("agent-panel textarea").sendKeys(Keys.ENTER);
        browser.see("Done.");
    }

    @Test
    void what_others_say_comes_into_the_thread_and_can_be_left_out() {
        var studio = studio();
        browser.go(platform.url()).named("button.card", "Backend").click();
        browser.see("Nothing was said yet");

        platform.said(studio.get(2), "from another device", "heard you");
        platform.said(studio.get(2), studio.get(1), "make the checks pass", "they pass");

        browser.see("from another device");
        browser.see("they pass");
        assertThat(browser.find(".turn.peer .by").getText()).startsWith("Engineering Lead");
        browser.find(".people input").click();
        browser.seeNot("they pass");
        browser.see("heard you");
    }

    @Test
    void a_history_that_cannot_be_read_is_said_and_not_asked_for_again_and_again() {
        studio();
        platform.forgetful = true;
        browser.go(platform.url()).named("button.card", "Backend").click();

        browser.see("What was said before cannot be read now: datastore unavailable");

        browser.script("return new Promise((done) => setTimeout(done, 1500))");
        assertThat(platform.reads).hasSizeLessThanOrEqualTo(2); // the director's, for the composer, and this one's
    }

    @Test
    void an_agent_that_is_busy_says_how_many_are_before_and_answers_later() {
        var studio = studio();
        platform.busy = true;
        browser.go(platform.url()).named("button.card", "Backend").click();
        browser.find("agent-panel textarea").sendKeys("when you can" + Keys.ENTER);
        browser.see("Busy; 2 before you.");

        var parts = JsonArray.of(JsonObject.of("kind", "text", "text", "now I could"));
        platform.ephemeral(
                "A2A_RESPONSE",
                studio.get(2),
                JsonObject.of(
                        "queue_id", "q-1", "response_body", JsonObject.of("result", JsonObject.of("parts", parts))));

        browser.see("now I could");
        browser.seeNot("Busy;");
    }
}
