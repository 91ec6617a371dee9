package ai.molecule.canvas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;

/** Talking with agents, and stopping them. */
class TalkTest extends VisitToThePage {

    @Test
    void the_first_visit_begins_with_a_sentence_and_a_filled_composer_and_nothing_starts_before_enter() {
        var studio = studio();
        platform.talk.answer = "Engineering Lead: hello";
        browser.go(platform.url()).see("These 4 agents work for you.");
        var box = browser.find("ask-composer textarea");
        await().until(() -> String.valueOf(box.getDomProperty("value")).startsWith("ask Engineering Lead"));
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
        platform.talk.answer = "";
        browser.go(platform.url()).named("button.card", "Backend").click();
        browser.find("agent-panel textarea").sendKeys("go on for ever" + Keys.ENTER);
        browser.see("Working");

        browser.named("agent-panel button", "Stop").click();

        browser.see("Stopped.");
        await().until(() -> platform.changes.stream()
                .anyMatch(change -> change.startsWith("POST /workspaces/" + studio.get(2) + "/a2a")
                        && change.contains("\"method\":\"tasks/cancel\"")
                        && change.contains("task-1")));
    }

    @Test
    void what_could_not_be_sent_stays_with_the_writer() {
        studio();
        browser.go(platform.url()).named("button.card", "Backend").click();
        browser.see("No messages yet");
        platform.die();
        browser.find("agent-panel textarea").sendKeys("are you there?" + Keys.ENTER);

        browser.see("Not sent yet");
        assertThat(browser.find("agent-panel textarea").getDomProperty("value")).isEqualTo("are you there?");
        platform.revive();
        browser.seeNot("Disconnected since");
        browser.find("agent-panel textarea").sendKeys(Keys.ENTER);
        browser.see("Done.");
    }

    @Test
    void what_others_say_comes_into_the_thread_and_can_be_left_out() {
        var studio = studio();
        browser.go(platform.url()).named("button.card", "Backend").click();
        browser.see("No messages yet");

        platform.talk.said(studio.get(2), "from another device", "heard you");
        platform.talk.said(studio.get(2), studio.get(1), "make the checks pass", "they pass");

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

        browser.see("Earlier messages cannot be read now: datastore unavailable");

        browser.script("return new Promise((done) => setTimeout(done, 1500))");
        assertThat(platform.reads).hasSizeLessThanOrEqualTo(2); // the director's, for the composer, and this one's
    }

    @Test
    void an_agent_that_is_busy_says_how_many_are_before_and_answers_later() {
        var studio = studio();
        platform.talk.busy = true;
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

    @Test
    void a_conversation_goes_on_where_it_was_until_another_is_begun() {
        platform.talk.answer = "The older one.";
        open("Backend");
        say("Which club?");
        browser.see("The older one.");
        say("And which year?");
        await().until(() -> messages().size() == 2);
        browser.named("agent-panel button", "New conversation").click();
        browser.see("the agent does not remember the messages above");
        say("Something else");
        await().until(() -> messages().size() == 3);

        var contexts = messages().stream()
                .map(one -> one.getJsonObject("message").getString("contextId"))
                .toList();
        assertThat(contexts.get(0)).isNotBlank().isEqualTo(contexts.get(1)).isNotEqualTo(contexts.get(2));
        assertThat(messages().get(0).containsKey("metadata")).isFalse();
        assertThat(messages().get(1).getJsonObject("metadata").getJsonArray("history").stream()
                        .map(JsonObject.class::cast)
                        .map(one -> one.getString("role") + ": "
                                + one.getJsonArray("parts").getJsonObject(0).getString("text")))
                .containsExactly("user: Which club?", "agent: The older one.");
        assertThat(messages().get(2).containsKey("metadata")).isFalse();
    }

    @Test
    void a_conversation_goes_on_after_a_reload() {
        String backend = studio().get(2);
        var message = JsonObject.of(
                "messageId", "m-1", "contextId", "c-1", "parts", JsonArray.of(JsonObject.of("text", "Which club?")));
        platform.answers.put(
                "/workspaces/" + backend + "/activity",
                JsonArray.of(
                        row(message, JsonObject.of("parts", JsonArray.of(JsonObject.of("text", "The older one."))))));
        browser.go(platform.url()).named("button.card", "Backend").click();
        browser.see("The older one.");

        say("And which year?");

        await().until(() -> messages().size() == 1);
        assertThat(messages().getFirst().getJsonObject("message").getString("contextId"))
                .isEqualTo("c-1");
        assertThat(messages().getFirst().getJsonObject("metadata").encode()).contains("Which club?", "The older one.");
    }

    private static JsonObject row(JsonObject message, JsonObject result) {
        return new JsonObject()
                .put("id", "a-1")
                .put("activity_type", "a2a_receive")
                .put("status", "ok")
                .put("created_at", "2026-01-02T03:04:05Z")
                .put("duration_ms", 42_000)
                .put("request_body", JsonObject.of("params", JsonObject.of("message", message)))
                .put("response_body", JsonObject.of("result", result))
                .put("tool_trace", TRACE);
    }

    private static final JsonArray TRACE = JsonArray.of(
            JsonObject.of("tool", "read", "input", "{\"path\":\"club.csv\"}", "output_preview", "48 rows"),
            JsonObject.of("tool", "run", "input", "./check", "output_preview", "46 of 48"));

    @Test
    void what_it_did_for_an_answer_is_one_line_with_time_and_cost_that_opens() {
        String backend = studio().get(2);
        var message = JsonObject.of("messageId", "m-1", "parts", JsonArray.of(JsonObject.of("text", "How many fail?")));
        platform.answers.put(
                "/workspaces/" + backend + "/activity",
                JsonArray.of(row(message, JsonObject.of("parts", JsonArray.of(JsonObject.of("text", "Two."))))));
        var piece = platform.work.asked("How many fail?", backend, "done", 60).costs(0.034, null, true);
        platform.talk.runs(backend, "m-1", piece.id(), "How many fail?");
        browser.go(platform.url()).named("button.card", "Backend").click();

        browser.see("2 steps · 0:42 · $0.03");

        browser.seeNot("46 of 48");
        browser.named("summary", "2 steps").click();
        browser.see("46 of 48");
        browser.see("./check");
        browser.picture("steps");
        browser.assertCalm();
    }

    @Test
    void of_an_answer_that_streamed_its_task_tells_the_steps() {
        String backend = studio().get(2);
        platform.answers.put(
                "/workspaces/" + backend + "/a2a/tasks/task-1",
                JsonObject.of("id", "task-1", "metadata", JsonObject.of("tool_trace", TRACE)));
        browser.go(platform.url()).named("button.card", "Backend").click();

        say("How many fail?");

        browser.see("2 steps");
    }

    @Test
    void what_is_written_meanwhile_waits_until_it_is_done_and_can_be_taken_back() {
        platform.talk.answer = "";
        open("Backend");
        say("Build it");
        browser.see("Working");

        say("Then test it");

        browser.see("sent when the agent is done");
        assertThat(messages()).hasSize(1);
        browser.named("agent-panel button", "Cancel").click();
        assertThat(browser.find("agent-panel textarea").getDomProperty("value")).isEqualTo("Then test it");
        browser.named("agent-panel button", "Wait").click();
        browser.see("sent when the agent is done");
        browser.picture("talk-busy");
        platform.talk.answer = "Tested.";
        platform.talk.finish("Built.");
        browser.see("Tested.");
        assertThat(texts()).containsExactly("Build it", "Then test it");
        browser.assertCalm();
    }

    @Test
    void what_it_is_at_is_interrupted_for_something_else() {
        platform.talk.answer = "";
        open("Backend");
        say("Build it");
        browser.see("Working");
        browser.find("agent-panel textarea").sendKeys("Leave that, mend the roof");
        platform.talk.answer = "Mended.";

        browser.named("agent-panel button", "Interrupt").click();

        browser.see("Mended.");
        browser.see("Stopped.");
        assertThat(platform.changes.stream().map(change -> change.replaceAll(".*\"method\":\"([^\"]*)\".*", "$1")))
                .containsExactly("message/stream", "tasks/cancel", "message/stream");
    }

    @Test
    void something_is_added_to_what_it_is_at() {
        platform.talk.answer = "";
        open("Backend");
        say("Build it");
        browser.see("Working");
        browser.find("agent-panel textarea").sendKeys("and paint it");
        platform.talk.answer = "Painted, too.";

        browser.named("agent-panel button", "Add to it").click();

        browser.see("Painted, too.");
        assertThat(texts()).containsExactly("Build it", "and paint it");
        assertThat(messages().get(0).getJsonObject("message").getString("contextId"))
                .isEqualTo(messages().get(1).getJsonObject("message").getString("contextId"));
        browser.see("Working"); // still
    }

    @Test
    void stop_says_whom_else_it_stops_and_stops_them() {
        var studio = studio();
        platform.talk.answer = "";
        var piece = platform.work
                .asked("Ship it", studio.get(1), "working", 20)
                .task(studio.get(2), studio.get(1), "running", 5, null, "Build it")
                .task(studio.get(3), studio.get(1), "ok", 5, 9, "Test it");
        platform.talk.workOfMessages = piece.id();
        browser.go(platform.url()).named("button.card", "Engineering Lead").click();
        say("Ship it");
        browser.see("Working");
        platform.ephemeral(
                "TASK_STARTED",
                studio.get(2),
                JsonObject.of("caller_id", studio.get(1), "target_id", studio.get(2), "preview", "Build it"));
        browser.see("Stop stops Backend, too.");

        browser.named("agent-panel button", "Stop").click();

        browser.see("Stopped.");
        await().untilAsserted(() -> assertThat(platform.changes)
                .anyMatch(change -> change.startsWith("POST /workspaces/" + studio.get(1) + "/a2a")
                        && change.contains("tasks/cancel"))
                .anyMatch(change -> change.startsWith("POST /workspaces/" + studio.get(2) + "/a2a")
                        && change.contains("tasks/cancel")
                        && change.contains("task-of-"))
                .noneMatch(change -> change.startsWith("POST /workspaces/" + studio.get(3))));
        browser.assertCalm();
    }

    @Test
    void an_answer_under_way_is_still_under_way_after_a_reload() {
        String backend = studio().get(2);
        platform.talk.answer = "";
        var piece = platform.work.asked("Build the whole of it, please", backend, "working", 30);
        platform.talk.runs(backend, "m-7", piece.id(), "Build the who");
        browser.go(platform.url()).named("button.card", "Backend").click();

        browser.see("Build the whole of it, please");
        browser.see("Working");
        browser.named("agent-panel button", "Stop");
        platform.talk.finish("Built.");

        browser.see("Built.");
        browser.seeNot("Working");
        assertThat(platform.changes)
                .anyMatch(change -> change.contains("tasks/resubscribe") && change.contains("task-of-m-7"));
    }

    @Test
    void files_go_along_with_a_message_and_come_with_an_answer(@TempDir Path folder) throws IOException {
        String backend = studio().get(2);
        Path file = Files.writeString(folder.resolve("club.csv"), "a,b");
        platform.answers.put(
                "POST /workspaces/" + backend + "/chat/uploads",
                JsonObject.of(
                        "files",
                        JsonArray.of(JsonObject.of(
                                "uri",
                                "workspace:/workspace/.molecule/chat-uploads/0-club.csv",
                                "name",
                                "club.csv",
                                "size",
                                3))));
        platform.talk.files = JsonArray.of(JsonObject.of(
                "kind",
                "file",
                "file",
                JsonObject.of("uri", "workspace:/workspace/out/report.html", "name", "report.html")));
        browser.go(platform.url()).named("button.card", "Backend").click();
        browser.find("agent-panel textarea").sendKeys("Count these");
        browser.driver().findElement(By.cssSelector(".attach input")).sendKeys(file.toString());
        browser.see("club.csv");
        browser.picture("talk-attached");

        browser.find("agent-panel textarea").sendKeys(Keys.ENTER);

        browser.see("report.html");
        assertThat(browser.named(".turn.agent a", "report.html").getDomAttribute("href"))
                .isEqualTo("/workspaces/" + backend + "/chat/download?path=%2Fworkspace%2Fout%2Freport.html");
        assertThat(messages()
                        .getFirst()
                        .getJsonObject("message")
                        .getJsonArray("parts")
                        .encode())
                .contains("Count these", "chat-uploads/0-club.csv");
        assertThat(browser.isThere(".attached")).isFalse();
        browser.assertCalm();
    }

    private void open(String name) {
        studio();
        browser.go(platform.url()).named("button.card", name).click();
    }

    private static void say(String words) {
        browser.find("agent-panel textarea").sendKeys(words + Keys.ENTER);
    }

    /** The parameters of what was said. */
    private List<JsonObject> messages() {
        return platform.changes.stream()
                .filter(change -> change.contains("\"message/stream\""))
                .map(change -> new JsonObject(change.substring(change.indexOf('{'))).getJsonObject("params"))
                .toList();
    }

    private List<String> texts() {
        return messages().stream()
                .map(one -> one.getJsonObject("message")
                        .getJsonArray("parts")
                        .getJsonObject(0)
                        .getString("text"))
                .toList();
    }
}
