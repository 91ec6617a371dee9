package ai.molecule.canvas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;
import org.openqa.selenium.interactions.Actions;

/** The questions before a deletion, and the list of keys: who hears them, where the focus is and goes, and what each way out of them does. */
class DialogsTest extends VisitToThePage {

    private List<String> studio;

    @BeforeEach
    void organisation() {
        studio = studio();
    }

    @Test
    void a_deletion_names_whom_it_takes_along_and_begins_at_the_way_out() {
        askToDelete("Engineering Lead");

        assertThat(browser.find("dialog[open]").getAriaRole()).isEqualTo("dialog");
        assertThat(browser.find("dialog[open]").getAccessibleName()).isEqualTo("Delete Engineering Lead?");
        browser.see("and so do the 2 agents below it");
        browser.see("What it works on stops. This cannot be undone.");
        browser.named("dialog button", "Delete 3 agents");
        seeFocusOn("Cancel");
        assertThat(browser.seriousFindings()).isEmpty();
        browser.picture("delete");
    }

    @Test
    void escape_and_keep_delete_nobody_and_lead_back_to_where_one_was() {
        for (CharSequence out : List.of(Keys.ESCAPE, Keys.ENTER)) {
            askToDelete("Backend");
            seeFocusOn("Cancel");

            keys(out);

            await().until(() -> !browser.isThere("dialog[open]"));
            seeFocusOn("Delete…");
            browser.find("agent-panel"); // Escape closes one thing
            assertThat(platform.changes).isEmpty();
            keys(Keys.ESCAPE);
        }
    }

    @Test
    void what_is_confirmed_is_done_and_said_and_the_agent_goes_when_the_platform_says_so() {
        askToDelete("Backend");

        browser.named("dialog button", "Delete").sendKeys(Keys.ENTER);

        browser.see("Backend was deleted.");
        assertThat(platform.changes).containsExactly("DELETE /workspaces/" + studio.get(2) + "?confirm=true ");
        platform.recorded("WORKSPACE_REMOVED", studio.get(2), JsonObject.of("name", "Backend"));
        await().until(() -> !browser.isThere("agent-panel"));
        assertThat(labels("button.card")).hasSize(3).noneMatch(label -> label.startsWith("Backend,"));
    }

    @Test
    void a_deletion_that_is_refused_says_so_and_the_agent_stays_open() {
        platform.refusals.put("/workspaces/" + studio.get(2), 409);
        askToDelete("Backend");

        browser.named("dialog button", "Delete").click();

        browser.see("refused here");
        assertThat(browser.find("agent-panel h2").getText()).isEqualTo("Backend");
    }

    @Test
    void whom_somebody_else_deleted_meanwhile_nobody_is_asked_about() {
        askToDelete("Backend");

        platform.recorded("WORKSPACE_REMOVED", studio.get(2), JsonObject.of("name", "Backend"));

        await().until(() -> !browser.isThere("dialog[open]"));
        askToDelete("Tester"); // the next is asked about as ever
        assertThat(platform.changes).isEmpty();
    }

    @Test
    void the_list_of_keys_opens_by_its_key_holds_the_others_back_and_closes_by_escape() {
        browser.go(platform.url()).named("button.card", "Backend").sendKeys("?");
        seeFocusOn("Close");
        assertThat(browser.find("dialog[open]").getAriaRole()).isEqualTo("dialog");
        assertThat(browser.find("dialog[open]").getAccessibleName()).isEqualTo("Keyboard shortcuts");
        browser.see("take back what was decided last, for 5 s");
        assertThat(browser.seriousFindings()).isEmpty();
        browser.picture("keys");

        new Actions(browser.driver()).sendKeys("l", "w", Keys.ESCAPE).perform();

        await().until(() -> !browser.isThere("dialog[open]"));
        seeFocusOn("Backend,"); // where one was
        assertThat(browser.isThere("organisation-map")).isTrue();
    }

    @Test
    void the_list_of_keys_is_a_button_too_and_what_it_names_is_there() {
        browser.go(platform.url()).find("button.help").click();
        seeFocusOn("Close");

        keys(Keys.ENTER);

        await().until(() -> !browser.isThere("dialog[open]"));
        seeFocusOn("Keyboard");
        var keys = new Actions(browser.driver());
        keys.sendKeys("l").perform();
        browser.find("organisation-list");
        keys.sendKeys("w").perform();
        browser.find("work-screen");
        keys.sendKeys("m").perform();
        browser.find("organisation-map");
        keys.sendKeys("+").perform();
        browser.find("dialog .add");
        keys.sendKeys(Keys.ESCAPE).perform();
        await().until(() -> !browser.isThere("dialog[open]"));
        keys.sendKeys("/").perform();
        await().until(() -> browser.ofTheFocus("focus.localName").equals("input"));
    }

    private void askToDelete(String name) {
        settingsOf(name);
        browser.named("agent-panel button", "Delete…").click();
        browser.see("This cannot be undone.");
    }
}
