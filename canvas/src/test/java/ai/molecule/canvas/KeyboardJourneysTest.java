package ai.molecule.canvas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;

/** Each journey by keyboard alone: keys go to where the focus is, and nothing is clicked or focused from outside. */
class KeyboardJourneysTest extends VisitToThePage {

    /** So many presses of Tab are more than anybody makes. */
    private static final int TABS_MAX = 60;

    private List<String> studio;

    @BeforeEach
    void organisation() {
        studio = studio();
    }

    @Test
    void from_the_first_visit_to_a_finished_piece_of_work() {
        platform.talk.answer = "The calendar is ready.";
        visit();
        keys("e");
        await().until(() -> browser.ofTheFocus("focus.value").startsWith("ask Engineering"));
        keys(Keys.chord(Keys.CONTROL, "a"), "Is it ready?", Keys.ENTER);
        browser.see("The calendar is ready.");

        keys(Keys.ESCAPE, Keys.ESCAPE);
        leaveTheBox();
        keys("w");
        tabTo("(asked)");
        keys(Keys.ENTER);

        browser.find(".piece-of-work");
    }

    @Test
    void a_decision_is_made_and_taken_back() {
        platform.graceful = true;
        platform.asks(studio.get(3), "publish report.html", "");
        visit();

        keys("j");
        keys("a");
        browser.see("Approving in");
        keys("u");

        browser.named("button", "Approve: publish");
    }

    @Test
    void a_question_is_answered() {
        platform.inbox.open("question", studio.get(3), "t", "Which club?", JsonObject.of("task_id", "t"));
        visit();

        keys("j");
        tabTo("Your reply to Tester");
        keys("The older one", Keys.ENTER);

        browser.see("Answered");
    }

    @Test
    void why_an_agent_failed_is_found_out_and_mended() {
        String path = "/workspaces/" + studio.get(3);
        platform.answers.put(path + "/secrets", new JsonArray());
        platform.becomes(
                studio.get(3),
                "failed",
                "WORKSPACE_PROVISION_FAILED",
                JsonObject.of("error", "no key for Anthropic", "missing", JsonArray.of("ANTHROPIC_API_KEY")));
        visit();

        keys("j");
        tabTo("Add API key for Tester");
        keys(Keys.ENTER);
        browser.see("It cannot start. no key for Anthropic");
        seeFocusOn("Name of a secret");
        keys("ANTHROPIC_API_KEY", Keys.TAB, "sk-1", Keys.ENTER);
        browser.see("Saved and encrypted.");
        leaveTheBox();
        keys("j");
        tabTo("Restart Tester");
        keys(Keys.ENTER);

        browser.see("Tester is restarting.");
        assertThat(platform.changes).anyMatch(change -> change.startsWith("PUT " + path + "/secrets"));
    }

    @Test
    void an_organisation_is_imported_from_a_file(@TempDir Path folder) throws IOException {
        platform.answers.put("POST /org/import?dry_run=1", AddingTest.plan("Mine", new JsonArray()));
        platform.answers.put("POST /org/import", JsonObject.of("org", "Mine", "count", 2));
        Path file = Files.writeString(folder.resolve("org.yaml"), "name: Mine\nworkspaces: []\n");
        visit();

        keys("+");
        tabTo("Import team");
        keys(Keys.ENTER);
        browser.see("Or your own file");
        tabToInput("file");
        browser.find("input[type=file]:focus").sendKeys(file.toString()); // what the browser's own window would give
        browser.see("Decides what is built");
        tabTo("Import");
        keys(Keys.ENTER);

        browser.see("2 agents are starting");
    }

    @Test
    void a_team_is_moved() {
        var nobody = JsonObject.of("count", 0, "workspaces", new JsonArray());
        platform.add("Customer Lead", "Speaks with clubs", studio.get(0), "online");
        platform.answers.put(
                "POST /workspaces/" + studio.get(1) + "/move",
                JsonObject.of(
                        "gains",
                        nobody,
                        "loses",
                        nobody,
                        "gains_secrets",
                        new JsonArray(),
                        "loses_secrets",
                        new JsonArray(),
                        "would_stop",
                        new JsonArray()));
        visit();

        keys("l");
        browser.find("[role=treeitem]");
        tabTo("Director");
        keys(Keys.ARROW_DOWN, Keys.ENTER);
        browser.see("Engineering Lead reads this");
        keys("t", Keys.ARROW_RIGHT, Keys.ARROW_RIGHT);
        tabTo("Move…");
        keys(Keys.ENTER);
        browser.see("The 2 agents below it go along.");
        keys("Team of Customer");
        browser.see("It may talk to the same agents as now.");
        tabTo("Move");
        keys(Keys.ENTER);

        browser.see("Engineering Lead moved to Customer Lead.");
    }

    @Test
    void an_agent_that_somebody_has_is_connected() {
        platform.answers.put("POST /invitations", JsonObject.of("id", "secret-id", "name", "My Claude"));
        visit();

        keys("+");
        tabToInput("name");
        keys("My Claude", Keys.ENTER);

        browser.see("-e WORKSPACE_ID=secret-id");
        tabTo("Copy");
        tabTo("Done");
        keys(Keys.ENTER);
        await().until(() -> !browser.isThere("dialog[open]"));
    }

    @Test
    void back_to_before_and_to_now() {
        platform.answers.put("/org", JsonObject.of("workspaces", new JsonArray()));
        visit();

        tabTo("Timeline. Drag back to see the past.");
        keys(Keys.HOME);
        browser.see("Nothing can be done there");
        tabTo("Live");
        keys(Keys.ENTER);

        browser.seeNot("Nothing can be done there");
    }

    @Test
    void something_that_runs_is_stopped() {
        platform.talk.answer = "";
        visit();
        keys("e", "go on for ever", Keys.ENTER);
        browser.see("Working");

        leaveTheBox();
        keys("t");
        tabTo("Stop");
        keys(Keys.ENTER);

        browser.see("Stopped.");
    }

    @Test
    void what_is_reached_is_seen_to_be() {
        platform.asks(studio.get(3), "publish report.html", "");
        visit();
        for (int i = 0; i < 25; i++) {
            keys(Keys.TAB);
            Object seen = browser.script(
                    "const one = document.activeElement; if (one === document.body) return 'body';"
                            + "const style = getComputedStyle(one); return style.outlineStyle === 'none' ? one.outerHTML : 'seen';");
            assertThat(seen).isIn("seen", "body");
        }
    }

    private void visit() {
        browser.go(platform.url()).see("Backend");
        await().until(() -> browser.ofTheFocus("focus.localName").equals("textarea"));
        keys(Keys.ESCAPE);
    }

    /** Letters are words in a box and commands outside of it: back to what stands before it. */
    private static void leaveTheBox() {
        for (int i = 0; i < TABS_MAX && browser.isThere("input:focus, textarea:focus, select:focus"); i++) {
            keys(Keys.chord(Keys.SHIFT, Keys.TAB));
        }
    }

    private static void tabTo(String words) {
        for (int i = 0; i < TABS_MAX; i++) {
            if (("\n" + browser.focused()).contains("\n" + words)) {
                return;
            }
            keys(Keys.TAB);
        }
        throw new AssertionError("not reached: " + words);
    }

    private static void tabToInput(String which) {
        for (int i = 0; i < TABS_MAX; i++) {
            if (!browser.driver()
                    .findElements(
                            By.cssSelector("input[name='" + which + "']:focus, input[type='" + which + "']:focus"))
                    .isEmpty()) {
                return;
            }
            keys(Keys.TAB);
        }
        throw new AssertionError("not reached: " + which);
    }
}
