package ai.molecule.canvas;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** What a person does to one agent. */
class AgentTest extends VisitToThePage {

    @Test
    void pause_resume_restart_and_delete_which_asks() {
        var studio = studio();
        settingsOf("Backend");
        browser.named("agent-panel button", "Pause").click();
        browser.see("Backend is paused.");
        platform.becomes(studio.get(2), "paused", "WORKSPACE_PAUSED", new JsonObject());
        browser.named("agent-panel button", "Resume").click();
        browser.see("Backend starts again.");
        platform.becomes(studio.get(2), "online", "WORKSPACE_ONLINE", new JsonObject());
        browser.named("agent-panel button", "Restart").click();
        browser.see("Backend starts anew.");

        browser.named("agent-panel button", "Delete…").click();
        browser.see("This cannot be undone.");
        assertThat(focused()).isEqualTo("Keep");
        active().sendKeys(Keys.ESCAPE);
        browser.seeNot("This cannot be undone.");
        assertThat(platform.changes).noneMatch(change -> change.startsWith("DELETE"));
        browser.named("agent-panel button", "Delete…").click();
        browser.named("dialog button", "Delete").click();

        browser.see("Backend was deleted.");
        assertThat(platform.changes).anyMatch(change -> change.startsWith("DELETE /workspaces/" + studio.get(2)));
    }
}
