package ai.molecule.canvas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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

    @Test
    void what_it_may_do_unasked_is_ticked_and_stands_in_its_config_beside_all_that_stood_there() {
        String backend = studio().get(2);
        String config = "name: Backend # of ours\ntools: [files, run]\nmcp_servers:\n  hub: {command: hub}\n";
        platform.set(backend, "runtime", "langgraph");
        platform.answers.put(
                "/workspaces/" + backend + "/files", JsonArray.of(JsonObject.of("path", "config.yaml", "dir", false)));
        platform.answers.put("/workspaces/" + backend + "/files/config.yaml", new JsonObject().put("content", config));
        settingsOf("Backend");
        browser.see("change files");
        assertThat(ticks()).containsExactly("*", "write", "edit", "run", "hub__*");

        browser.find(".ticks input[value='*']").click();
        browser.find(".ticks input[value='run']").click();
        browser.find(".ticks input[value='hub__*']").click();
        browser.named(".ticks button", "Save").click();

        browser.see("it holds from the next start");
        assertThat(platform.changes)
                .containsExactly("PUT /workspaces/" + backend + "/files/config.yaml?root=/configs "
                        + JsonObject.of("content", config + "unasked: [write, edit]\n"));
        platform.answers.put(
                "/workspaces/" + backend + "/files/config.yaml",
                new JsonObject().put("content", config + "unasked: [edit]\n"));
        settingsOf("Backend");
        browser.see("change files");
        assertThat(ticks()).containsExactly("edit");
        browser.script("document.querySelector('.may').scrollIntoView({block: 'start'})");
        browser.picture("unasked");
        browser.assertCalm();
    }

    @Test
    void its_skills_are_those_it_uses_those_that_lie_ready_and_its_plugins_and_it_is_taught_another() {
        String backend = studio().get(2);
        String path = "/workspaces/" + backend;
        platform.answers.put(path + "/files/config.yaml", new JsonObject().put("content", "skills: [review]\n"));
        platform.answers.put(
                path + "/files",
                JsonArray.of(
                        JsonObject.of("path", "config.yaml", "dir", false),
                        JsonObject.of("path", "review", "dir", true),
                        JsonObject.of("path", "ship", "dir", true)));
        platform.answers.put(
                path + "/plugins", JsonArray.of(JsonObject.of("name", "seo", "skills", JsonArray.of("keywords"))));
        settingsOf("Backend");
        browser.see("of the plugin seo");
        browser.named("button", "Use the skill ship").click();
        browser.see("it holds from the next start");
        browser.named(".settings summary", "Teach it one").click();
        browser.find("input[name=skill]").sendKeys("greet");
        browser.find("input[name=about]").sendKeys("When \"somebody\" comes");
        browser.find("textarea[name=words]").sendKeys("Say hello.");
        browser.named(".skill button", "Teach").click();

        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(platform.changes)
                        .containsExactly(
                                "PUT " + path + "/files/config.yaml?root=/configs "
                                        + JsonObject.of("content", "skills: [review, ship]\n"),
                                "PUT " + path + "/files/skills/greet/SKILL.md?root=/configs "
                                        + JsonObject.of(
                                                "content",
                                                "---\nname: greet\ndescription: \"When \\\"somebody\\\" comes\"\n---\n\nSay hello.\n"),
                                "PUT " + path + "/files/config.yaml?root=/configs "
                                        + JsonObject.of("content", "skills: [review, greet]\n")));
    }

    @Test
    void what_holds_from_the_next_start_is_saved_and_started_in_one_press() {
        String backend = studio().get(2);
        platform.set(backend, "runtime", "langgraph");
        platform.answers.put(
                "/workspaces/" + backend + "/files", JsonArray.of(JsonObject.of("path", "config.yaml", "dir", false)));
        platform.answers.put(
                "/workspaces/" + backend + "/files/config.yaml",
                new JsonObject().put("content", "tools: [files, run]\n"));
        settingsOf("Backend");
        browser.see("change files");
        browser.find(".ticks input[value='*']").click();
        browser.find(".ticks input[value='run']").click();

        browser.named(".ticks button", "Save and restart").click();

        browser.see("Backend starts anew with it.");
        assertThat(platform.changes)
                .satisfiesExactly(
                        change -> assertThat(change).startsWith("PUT /workspaces/" + backend + "/files/config.yaml"),
                        change -> assertThat(change).startsWith("POST /workspaces/" + backend + "/restart"));
    }

    private static List<String> ticks() {
        List<String> values = new ArrayList<>();
        browser.json("return [...document.querySelectorAll('.ticks input:checked')].map((one) => one.value)")
                .forEach(value -> values.add(value.asText()));
        return values;
    }
}
