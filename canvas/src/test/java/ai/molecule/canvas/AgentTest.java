package ai.molecule.canvas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
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
        browser.named("[role=tab]", "Chat").click();
        browser.see("Backend is paused and reads nothing.");
        browser.named("[role=tab]", "Settings").click();
        browser.named("agent-panel button", "Resume").click();
        browser.see("Backend is starting.");
        platform.becomes(studio.get(2), "online", "WORKSPACE_ONLINE", new JsonObject());
        browser.named("agent-panel button", "Restart").click();
        browser.see("Backend is restarting.");

        browser.named("agent-panel button", "Delete…").click();
        browser.see("This cannot be undone.");
        seeFocusOn("Cancel");
        keys(Keys.ESCAPE);
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

        browser.see("It applies from the next start");
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
        browser.named("button", "Enable the skill ship").click();
        browser.see("It applies from the next start");
        browser.named(".settings summary", "Add skill").click();
        browser.find("input[name=skill]").sendKeys("greet");
        browser.find("input[name=about]").sendKeys("When \"somebody\" comes");
        browser.find("textarea[name=words]").sendKeys("Say hello.");
        browser.named(".skill button", "Add skill").click();

        await().untilAsserted(() -> assertThat(platform.changes)
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
    void a_secret_is_set_as_a_reference_to_another_store() {
        String backend = studio().get(2);
        settingsOf("Backend");
        browser.named(".settings summary", "Set a reference").click();
        browser.find(".reference input[name=key]").sendKeys("GITHUB_TOKEN");
        browser.find(".reference input[name=reference]").sendKeys("vault:secret/data/writer#github");
        browser.named(".reference button", "Save").click();

        browser.see("The value is read from its store");
        assertThat(platform.changes)
                .containsExactly("PUT /workspaces/" + backend
                        + "/secrets {\"key\":\"GITHUB_TOKEN\",\"reference\":\"vault:secret/data/writer#github\"}");
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

        browser.see("Backend restarts with it.");
        assertThat(platform.changes)
                .satisfiesExactly(
                        change -> assertThat(change).startsWith("PUT /workspaces/" + backend + "/files/config.yaml"),
                        change -> assertThat(change).startsWith("POST /workspaces/" + backend + "/restart"));
    }

    @Test
    void who_sleeps_is_seen_asleep_and_is_woken_with_one_press() {
        var studio = studio();
        browser.go(platform.url()).see("Backend");

        browser.named("button.card", "Backend").click();
        browser.named("[role=tab]", "Settings").click();
        browser.see("Minutes without work, 0 for never.");
        browser.named("agent-panel button", "Hibernate").click();
        browser.see("Backend sleeps.");
        assertThat(platform.changes)
                .anyMatch(change -> change.startsWith("POST /workspaces/" + studio.get(2) + "/hibernate"));
        platform.becomes(studio.get(2), "hibernated", "WORKSPACE_HIBERNATED", new JsonObject());

        browser.see("hibernated, wakes on a message");
        assertThat(browser.named("button.card", "Backend").getText()).contains("☾");
        browser.see("Backend was hibernated");
        browser.named("button.card", "Backend").click();
        browser.named("[role=tab]", "Settings").click();
        browser.named("[role=tab]", "Chat").click();
        browser.see("Backend is hibernated and wakes on a message. Can delegate to 2 agents.");
        browser.picture("asleep");
        browser.named("[role=tab]", "Settings").click();
        browser.named("agent-panel button", "Wake").click();
        browser.see("Backend is waking.");
        assertThat(platform.changes)
                .anyMatch(change -> change.startsWith("POST /workspaces/" + studio.get(2) + "/wake"));
    }

    @Test
    void who_is_not_trusted_is_cut_off_after_a_question_and_released_again() {
        var studio = studio();
        settingsOf("Engineering Lead");
        browser.named("agent-panel button", "Quarantine…").click();
        browser.see("its API tokens are revoked");
        seeFocusOn("Cancel");
        browser.find("dialog [name=branch]").click();
        browser.named("dialog button", "Quarantine").click();
        browser.see("Engineering Lead was quarantined.");
        platform.becomes(studio.get(1), "paused", "WORKSPACE_PAUSED", new JsonObject());
        platform.becomes(studio.get(1), "paused", "WORKSPACE_QUARANTINED", new JsonObject());

        browser.see("quarantined");
        browser.named("agent-panel button", "Release").click();

        browser.see("was released");
        assertThat(platform.changes)
                .containsExactly(
                        "POST /workspaces/" + studio.get(1) + "/quarantine {\"branch\":true}",
                        "DELETE /workspaces/" + studio.get(1) + "/quarantine ");
    }

    @Test
    void whether_it_may_write_to_another_is_said_with_the_rule_that_says_so() {
        var studio = studio();
        platform.answers.put(
                "/explain",
                JsonObject.of(
                        "allowed",
                        false,
                        "rule",
                        "org chart",
                        "says",
                        "a workspace talks to its parent, its children and its siblings"));
        settingsOf("Backend");
        browser.named(".explain summary", "Check access").click();
        await().until(() -> browser.isThere(".explain select"));
        browser.script("const to = document.querySelector('.explain select'); to.value = '" + studio.get(0)
                + "'; to.dispatchEvent(new Event('change'))");

        browser.see("No. A workspace talks to its parent, its children and its siblings.");
    }

    @Test
    void a_refused_message_says_which_rule_refused_it_and_keeps_the_words() {
        var studio = studio();
        platform.refusals.put("/workspaces/" + studio.get(2) + "/a2a", 403);
        platform.answers.put(
                "/explain",
                JsonObject.of(
                        "allowed", false, "rule", "budget", "says", "Backend has spent its budget of this month"));
        browser.go(platform.url() + "#" + studio.get(2)).see("No messages yet.");

        browser.find("agent-panel ask-composer textarea").sendKeys("Go on.", Keys.ENTER);

        browser.see("Not sent: Backend has spent its budget of this month.");
        assertThat(browser.find("agent-panel ask-composer textarea").getDomProperty("value"))
                .isEqualTo("Go on.");
    }

    @Test
    void what_it_remembers_can_be_forgotten_and_who_did_what_to_it_is_read() {
        var studio = studio();
        String path = "/workspaces/" + studio.get(2);
        platform.answers.put(
                path + "/memories",
                JsonArray.of(JsonObject.of(
                        "id",
                        "m-1",
                        "content",
                        "Kim wants short answers.",
                        "scope",
                        "LOCAL",
                        "created_at",
                        "2026-11-26T09:00:00Z")));
        platform.answers.put(
                path + "/audit",
                JsonObject.of(
                        "entries",
                        JsonArray.of(new JsonObject()
                                .put("at", "2026-11-26T09:00:00Z")
                                .put("verb", "secret.changed")
                                .put("object", "<b>KEY</b>")
                                .put("workspace_id", studio.get(2))
                                .put("verdict", "done")
                                .put("actor", JsonObject.of("kind", "platform", "name", "molecule-registry")))));
        browser.go(platform.url()).named("button.card", "Backend").click();
        browser.named("[role=tab]", "Logs & files").click();
        browser.see("The platform changed the secret <b>KEY</b>");

        browser.named("button", "Delete memory: Kim wants short answers.").click();

        browser.see("Deleted.");
        assertThat(platform.changes).containsExactly("DELETE " + path + "/memories/m-1 ");
        browser.assertCalm();
    }

    @Test
    void what_it_printed_last_stands_inside_as_it_was_written() {
        String backend = studio().get(2);
        platform.becomes(
                backend, "failed", "WORKSPACE_PROVISION_FAILED", JsonObject.of("error", "exited with 1 at its start"));
        platform.answers.put(
                "/workspaces/" + backend + "/console",
                JsonObject.of("output", "reading config.yaml\nTraceback: <b>no key</b>\n"));
        browser.go(platform.url()).named("button.card", "Backend").click();
        browser.named("[role=tab]", "Logs & files").click();

        browser.see("Traceback: <b>no key</b>");

        assertThat(browser.find(".console").getText()).contains("reading config.yaml\n");
        browser.picture("printed");
        browser.assertCalm();
    }

    @Test
    void its_web_servers_open_in_a_tab_of_their_own_by_the_link_that_the_platform_gives() {
        String path = "/workspaces/" + studio().get(2) + "/preview";
        platform.answers.put(path, JsonObject.of("ports", JsonArray.of(3000)).putNull("reason"));
        platform.answers.put("POST " + path, JsonObject.of("url", platform.url() + "/templates"));
        browser.go(platform.url()).named("button.card", "Backend").click();
        browser.named("[role=tab]", "Logs & files").click();

        browser.picture("web-servers");
        browser.script(
                "window.open = () => ({ location: { replace: (to) => { window.opened = to; } }, close: () => {} })");

        browser.named("button", "Open port 3000").click();

        browser.see("Port 3000 opened in a new tab.");
        assertThat(browser.script("return window.opened")).isEqualTo(platform.url() + "/templates");
        assertThat(platform.changes).containsExactly("POST " + path + " " + JsonObject.of("port", 3000));
        browser.assertCalm();
    }

    @Test
    void a_file_of_it_is_read_changed_and_kept() {
        String path = "/workspaces/" + studio().get(2) + "/files";
        platform.answers.put(path, JsonArray.of(JsonObject.of("path", "notes.md", "size", 12, "dir", false)));
        platform.answers.put(path + "/notes.md", JsonObject.of("content", "Be brief.\n"));
        browser.go(platform.url()).named("button.card", "Backend").click();
        browser.named("[role=tab]", "Logs & files").click();
        browser.named(".inside button", "notes.md").click();
        browser.see("Be brief.");
        browser.named("button", "Edit notes.md").click();
        browser.find(".writing textarea").sendKeys(Keys.chord(Keys.CONTROL, Keys.END), "Be kind.\n");

        browser.named(".writing button", "Save").click();

        browser.see("Saved notes.md.");
        assertThat(platform.changes)
                .containsExactly("PUT " + path + "/notes.md?root=/workspace "
                        + JsonObject.of("content", "Be brief.\nBe kind.\n"));
        browser.assertCalm();
    }

    private static List<String> ticks() {
        List<String> values = new ArrayList<>();
        browser.json("return [...document.querySelectorAll('.ticks input:checked')].map((one) => one.value)")
                .forEach(value -> values.add(value.asText()));
        return values;
    }
}
