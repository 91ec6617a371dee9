package ai.molecule.canvas;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The screens of work, of the past, of adding and of an agent from inside: as {@link PicturesTest}. */
class WorkPicturesTest extends VisitToThePage {

    private String lead;
    private String tester;
    private String writer;

    @BeforeEach
    void organisation() {
        lead = platform.add("Team Lead", "Splits a request and asks the team", null, "online");
        tester = platform.add("Tester", "Runs the checks", lead, "online");
        writer = platform.add("Writer", "Writes the report, and asks before it publishes", lead, "online");
        platform.work.asked("Sort the archive by year", tester, "failed", 7200);
        platform.work
                .asked("Is the club calendar ready to release? One page, please.", lead, "done", 120)
                .task(tester, lead, "ok", 5, 25, "Does the calendar pass ./check?")
                .task(writer, lead, "ok", 27, 55, "Write a report of one page")
                .said(lead, tester, "Does the calendar pass ./check?", 5)
                .said(tester, lead, "46 of 48 checks pass.", 25)
                .said(lead, null, "Not ready: 2 of 48 checks fail.", 58)
                .file(writer, "report.html", "<h1>Not ready: 2 of 48 checks fail</h1><ul><li>46 of 48 pass.</li></ul>");
        platform.work.asked("Answer the three clubs that wrote", lead, "needs_you", 300);
        platform.work
                .asked("Draft the spring newsletter", lead, "working", 5000)
                .task(writer, lead, "running", 4900, null, "A first draft, please");
    }

    @Test
    void all_work_and_one_piece_of_it() {
        browser.go(platform.url() + "#work").see("Sort the archive by year");
        Looks.at(browser, "work", "Sort the archive by year");
        browser.named("button.piece", "Is the club calendar").click();
        browser.see("46 of 48 pass.");
        Looks.at(browser, "piece", "46 of 48 pass.");
    }

    @Test
    void a_wait_is_folded_in_what_is_under_way() {
        browser.go(platform.url() + "#work").named("button.piece", "newsletter").click();
        browser.see("hidden");
        Looks.at(browser, "piece-working", "hidden");
    }

    @Test
    void the_past() {
        platform.answers.put(
                "/org",
                JsonObject.of(
                        "workspaces",
                        JsonArray.of(
                                row(lead, "Team Lead", null, "online"),
                                row(tester, "Tester", lead, "online"),
                                row(writer, "Writer", lead, "paused"))));
        browser.go(platform.url() + "?at=" + Instant.now().minusSeconds(105)).see("Nothing can be done there");
        Looks.at(browser, "past", "Nothing can be done there");
    }

    @Test
    void adding_agents() {
        browser.go(platform.url()).named("header button", "New").click();
        browser.see("Create invite");
        Looks.at(browser, "add", "Create invite");
        browser.named("dialog button", "Import team").click();
        browser.see("Software Studio");
        Looks.at(browser, "add-team", "Software Studio");
    }

    @Test
    void an_agent_from_inside_and_its_settings() {
        platform.answers.put("/workspaces/" + writer + "/model", JsonObject.of("model", "openai:gpt-5-mini"));
        platform.answers.put(
                "/workspaces/" + writer + "/secrets",
                JsonArray.of(JsonObject.of("key", "OPENAI_API_KEY", "scope", "global")));
        platform.answers.put(
                "/workspaces/" + writer + "/files",
                JsonArray.of(
                        JsonObject.of("path", "out", "size", 0, "dir", true),
                        JsonObject.of("path", "AGENTS.md", "size", 1300, "dir", false)));
        platform.answers.put(
                "/workspaces/" + writer + "/memories",
                JsonArray.of(JsonObject.of(
                        "id",
                        "m",
                        "content",
                        "The club wants dark mode.",
                        "scope",
                        "TEAM",
                        "created_at",
                        Instant.now().toString())));
        browser.go(platform.url() + "#" + writer)
                .named("[role=tab]", "Settings")
                .click();
        browser.see("OPENAI_API_KEY");
        Looks.at(browser, "agent-settings", "OPENAI_API_KEY");
        browser.named("[role=tab]", "Logs & files").click();
        browser.see("The club wants dark mode.");
        Looks.at(browser, "agent-inside", "The club wants dark mode.");
    }

    private static JsonObject row(String id, String name, @Nullable String parent, String status) {
        return new JsonObject()
                .put("id", id)
                .put("name", name)
                .putNull("role")
                .put("parent_id", parent)
                .put("status", status);
    }
}
