package ai.molecule.canvas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;
import org.openqa.selenium.interactions.Actions;

/** Moving an agent to another team: what that would change is said before it is done. */
class MovingTest extends VisitToThePage {

    @Test
    void dropped_on_another_team_it_is_told_what_that_would_change_and_moved_only_when_confirmed() {
        var studio = studio();
        String other = platform.add("Customer Lead", "Speaks with clubs", studio.get(0), "online");
        platform.add("Support", "Answers", other, "online");
        wouldChange(studio.get(2), told(studio));
        browser.go(platform.url());

        drag("Backend", "Customer Lead");
        browser.see("may then talk to 2 more, no longer to 1, gets 1 secret, 1 task under way would stop");
        new Actions(browser.driver()).release().perform();

        browser.see("Customer Lead, Support");
        browser.see("DEPLOY_KEY");
        browser.see("1 task under way would stop:");
        browser.see("Engineering Lead asked Backend: fix test 3 of 5");
        assertThat(platform.changes).allMatch(change -> change.contains("dry_run=1"));
        browser.picture("move-told");
        browser.named("dialog button", "Move").click();

        browser.see("Backend moved to Customer Lead.");
        assertThat(platform.changes)
                .contains("POST /workspaces/" + studio.get(2) + "/move {\"parent_id\":\"" + other + "\"}");
        browser.named("button", "Undo").click();
        await().until(() -> platform.changes.contains(
                "POST /workspaces/" + studio.get(2) + "/move {\"parent_id\":\"" + studio.get(1) + "\"}"));
    }

    @Test
    void a_drop_that_is_not_confirmed_changes_nothing() {
        var studio = studio();
        platform.add("Customer Lead", "Speaks with clubs", studio.get(0), "online");
        wouldChange(studio.get(2), told(studio));
        browser.go(platform.url());

        drag("Backend", "Customer Lead");
        new Actions(browser.driver()).release().perform();
        browser.see("would stop:");
        keys(Keys.ESCAPE);

        browser.seeNot("would stop:");
        assertThat(platform.changes).allMatch(change -> change.contains("dry_run=1"));
    }

    @Test
    void by_keyboard_alone_a_team_is_chosen_read_about_and_moved_to() {
        var studio = studio();
        wouldChange(studio.get(2), told(studio).put("would_stop", new JsonArray()));
        settingsOf("Backend");
        browser.named("button", "Move…").sendKeys(Keys.ENTER);
        browser.see("Could then talk to");
        browser.find("dialog select").sendKeys("Team of Director");

        browser.named("dialog button", "Move").sendKeys(Keys.ENTER);

        await().until(() -> platform.changes.contains(
                "POST /workspaces/" + studio.get(2) + "/move {\"parent_id\":\"" + studio.get(0) + "\"}"));
    }

    @Test
    void what_the_platform_refuses_cannot_be_confirmed_and_what_it_cannot_tell_is_said() {
        var studio = studio();
        String path = "/workspaces/" + studio.get(2) + "/move";
        platform.refusals.put(path, 409);
        settingsOf("Backend");
        browser.named("button", "Move…").click();
        browser.see("refused here");
        assertThat(browser.named("dialog button", "Move").isEnabled()).isFalse();
        keys(Keys.ESCAPE);

        platform.refusals.put(path, 503);
        browser.named("button", "Move…").click();
        browser.see("What it would change cannot be told now");
        assertThat(browser.named("dialog button", "Move anyway").isEnabled()).isTrue();
    }

    private void drag(String name, String onto) {
        new Actions(browser.driver())
                .clickAndHold(browser.named("button.card", name))
                .moveToElement(browser.named("button.card", onto), 0, 4)
                .moveByOffset(3, 3)
                .perform();
    }

    private void wouldChange(String id, JsonObject told) {
        platform.answers.put("POST /workspaces/" + id + "/move", told);
    }

    private static JsonObject told(List<String> studio) {
        return new JsonObject()
                .put("gains", reach("Customer Lead", "Support"))
                .put("loses", reach("Tester"))
                .put("gains_secrets", JsonArray.of("DEPLOY_KEY"))
                .put("loses_secrets", new JsonArray())
                .put(
                        "would_stop",
                        JsonArray.of(new JsonObject()
                                .put("id", "t")
                                .put("kind", "message")
                                .put("source_id", studio.get(1))
                                .put("target_id", studio.get(2))
                                .put("preview", "fix test 3 of 5")));
    }

    private static JsonObject reach(String... names) {
        var workspaces = new JsonArray();
        Stream.of(names)
                .forEach(name -> workspaces.add(
                        new JsonObject().put("id", name).put("name", name).putNull("role")));
        return JsonObject.of("count", names.length, "workspaces", workspaces);
    }
}
