package ai.molecule.canvas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** One box finds whom one means, by what they do, how they are and who answers for them, and does what a button elsewhere does. */
class FindingTest extends VisitToThePage {

    private List<String> studio;

    @BeforeEach
    void organisation() {
        studio = studio();
    }

    @Test
    void somebody_is_found_by_role_by_status_and_by_who_answers_for_their_team() {
        String support = platform.add("Support", "Answers questions", studio.get(0), "paused");
        platform.answers.put(
                "/workspaces/" + studio.get(1) + "/config", JsonObject.of("data", JsonObject.of("owner", "Kim Ärmel")));
        browser.go(platform.url()).see("5 agents");

        search("owner kim");
        browser.see("3 of 5"); // the lead, and the two below
        search("owner:kim · role \"tries to\"");
        browser.see("1 of 5");
        search("status paused");
        browser.see("1 of 5");
        search("owner ada");
        browser.see("0 of 5");

        platform.answers.put(
                "/workspaces/" + studio.get(0) + "/config", JsonObject.of("data", JsonObject.of("owner", "Ada")));
        browser.go("about:blank").go(platform.url()).see("5 agents");
        search("owner ada");
        browser.see("2 of 5"); // nearer leaders have their own
        assertThat(support).isNotEmpty();
        browser.assertCalm();
    }

    @Test
    void who_answers_for_a_team_is_said_in_the_settings_of_its_leader_and_read_with_all_of_it() {
        settingsOf("Engineering Lead");
        browser.find("input[name=owner]").sendKeys("Kim" + Keys.ENTER);

        browser.see("Saved for everybody.");
        assertThat(platform.changes)
                .containsExactly("PATCH /workspaces/" + studio.get(1) + "/config {\"owner\":\"Kim\"}");
        platform.answers.put(
                "/workspaces/" + studio.get(1) + "/config", JsonObject.of("data", JsonObject.of("owner", "Kim")));
        browser.go("about:blank");
        settingsOf("Backend");
        browser.see("Owner\nKim");
        assertThat(browser.isThere("input[name=owner]")).isFalse();
        browser.assertCalm();
    }

    @Test
    void what_is_typed_is_done_by_keyboard_alone() {
        browser.go(platform.url()).see("4 agents");

        keys(Keys.chord(Keys.CONTROL, "k"));
        keys("restart backend");
        browser.named("[role=option]", "Restart Backend");
        assertThat(browser.ofTheFocus("focus.getAttribute('aria-activedescendant')"))
                .isEqualTo("offer-0");
        keys(Keys.ENTER);
        await().until(() -> platform.changes.contains("POST /workspaces/" + studio.get(2) + "/restart {}"));
        browser.seeNot("of 4"); // nothing is searched for any more

        keys("tree"); // as people may call it
        browser.named("[role=option]", "List");
        keys(Keys.ENTER);
        browser.find("[role=tree]");
        browser.assertCalm();
    }

    @Test
    void what_cannot_be_taken_back_asks_before_and_a_name_opens_who_has_it() {
        browser.go(platform.url()).see("4 agents");
        search("delete tester");
        browser.named("[role=option]", "Delete Tester").click();
        browser.see("This cannot be undone.");
        assertThat(platform.changes).isEmpty();
        keys(Keys.ESCAPE);

        search("back");
        browser.named("[role=option]", "Backend");
        browser.picture("palette");
        // but for agents that fade because they are not meant
        assertThat(browser.seriousFindings()).noneMatch(found -> found.matches("(?s).*(search|offer).*"));
        keys(Keys.ARROW_DOWN);
        keys(Keys.ARROW_UP);
        keys(Keys.ENTER);
        browser.see("Backend reads this");
    }

    private static void search(String words) {
        browser.find("input[type=search]").sendKeys(Keys.chord(Keys.CONTROL, "a"), words);
    }
}
