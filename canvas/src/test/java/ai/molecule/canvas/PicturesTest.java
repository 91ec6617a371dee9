package ai.molecule.canvas;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.openqa.selenium.Keys;

/**
 * Every screen in the states it is met in, written to {@code target/screens} for somebody to look at, and looked at by axe-core: nothing
 * serious, whatever the theme and the width.
 */
@DisabledIfSystemProperty(
        named = "molecule.pictures",
        matches = "off",
        disabledReason = "they are the same whoever takes them")
class PicturesTest extends VisitToThePage {

    @Test
    void the_first_visit() {
        demo();
        look("first-visit", "Team Lead");
    }

    @Test
    void nobody_here_yet() {
        look("empty", "Nobody works here yet");
    }

    @Test
    void at_work_and_waiting_for_a_person() {
        var studio = company();
        browser.go(platform.url()).see("Backend");
        atWork(studio);
        look("at-work", "wants to publish the report");
        browser.size(1440, 900).named("button.card", "Customer Writer").click();
        browser.see("I have written it up");
        look("talk", "I have written it up");
        browser.size(1440, 900).named("[role=tab]", "Settings").click();
        look("settings", "Runs on");
    }

    @Test
    void with_failures() {
        var studio = company();
        String coder = studio.get(3);
        platform.becomes(
                coder,
                "failed",
                "WORKSPACE_PROVISION_FAILED",
                JsonObject.of("error", "no key for Anthropic: set ANTHROPIC_API_KEY"));
        platform.becomes(studio.get(5), "paused", "WORKSPACE_PAUSED", new JsonObject());
        platform.becomes(studio.get(6), "offline", "WORKSPACE_OFFLINE", new JsonObject());
        platform.becomes(
                studio.get(9),
                "degraded",
                "WORKSPACE_DEGRADED",
                JsonObject.of("sample_error", "429 from the model provider"));
        look("failures", "no key for Anthropic");
        browser.size(1440, 900).named("button.card", "Backend").click();
        browser.named("[role=tab]", "Settings").click();
        look("failure-settings", "It cannot start.");
    }

    @Test
    void as_a_list() {
        atWork(company());
        browser.go(platform.url()).see("Backend");
        browser.named("button", "List").click();
        look("list", "Backend");
    }

    @Test
    void sixty_and_five_hundred() {
        crowd(60);
        look("sixty", "Lead 0");
        browser.size(1440, 900);
        crowd(440);
        look("five-hundred", "Lead 0");
    }

    @Test
    void ten_thousand() {
        LargeOrganisationTest.teams(platform, 120, 82);
        browser.go(platform.url()).find("organisation-map .label");
        look("ten-thousand", "Division 0");
        browser.size(1440, 900);
        for (int i = 0; i < 9; i++) {
            browser.named(".zoom button", "+").click();
        }
        browser.picture("ten-thousand-near");
        for (int i = 0; i < 4; i++) {
            browser.named(".zoom button", "+").click();
        }
        browser.picture("ten-thousand-nearest");
        browser.named("button", "List").click();
        browser.find("input[type=search]").sendKeys("failed");
        look("ten-thousand-found", "Pause 6");
    }

    @Test
    void a_question_before_something_is_done() {
        String backend = company().get(3);
        platform.answers.put(
                "POST /workspaces/" + backend + "/move",
                new JsonObject()
                        .put("gains", JsonObject.of("count", 0, "workspaces", new JsonArray()))
                        .put("loses", JsonObject.of("count", 0, "workspaces", new JsonArray()))
                        .put("gains_secrets", new JsonArray())
                        .put("loses_secrets", new JsonArray())
                        .putNull("would_stop"));
        browser.go(platform.url()).named("button.card", "Backend").click();
        browser.named("[role=tab]", "Settings").click();
        browser.named("button", "Move to…").click();
        browser.see("may talk to the same agents");
        look("move", "may talk to the same agents");
        browser.driver().switchTo().activeElement().sendKeys(Keys.ESCAPE);
    }

    @Test
    void everything_that_may_need_somebody_and_one_of_it_alone() {
        var company = company();
        String approval = platform.asks(
                company.get(10),
                "publish the report to ./out: report.html, 41 lines",
                "2 checks fail; it says so in line 1.");
        waits(
                "question",
                company.get(9),
                "Two clubs are called “North”. Which of them?",
                JsonObject.of("task_id", "t"));
        waits(
                "budget",
                company.get(3),
                "$5.00 of $5.00 of this month",
                JsonObject.of("percent", 100, "budget_limit", 500, "monthly_spend", 500));
        waits(
                "outcome_unknown",
                company.get(1),
                "outcome unknown: the connection was lost",
                JsonObject.of("target_id", company.get(4)));
        waits("stranger", company.get(7), "Designer", JsonObject.of("name", "Designer", "role", "Draws it first"));
        platform.becomes(
                company.get(2),
                "failed",
                "WORKSPACE_PROVISION_FAILED",
                JsonObject.of("error", "no key for Anthropic", "missing", JsonArray.of("ANTHROPIC_API_KEY")));
        platform.becomes(company.get(6), "awaiting_agent", "WORKSPACE_AWAITING_AGENT", new JsonObject());
        browser.go(platform.url() + "#needs");
        look("needs", "Two clubs are called");
        browser.go("about:blank").go(platform.url() + "#needs=" + approval);
        look("needs-one", "Customer Writer needs you");
        browser.named("button", "Approve: publish");
    }

    private void waits(String kind, String id, String text, JsonObject details) {
        platform.inbox.open(kind, id, kind, text, details);
    }

    @Test
    void not_live() {
        company();
        browser.go(platform.url()).see("Backend");
        platform.die();
        look("not-live", "Not live since");
    }

    @Test
    void locked() {
        platform.key = "secret";
        look("locked", "asks who you are");
    }

    @Test
    void in_forced_colours() {
        atWork(company());
        browser.prefers("forced-colors", "active").go(platform.url()).see("Backend");
        browser.picture("at-work-forced");
    }

    private void look(String name, String shows) {
        if (!String.valueOf(browser.driver().getCurrentUrl()).startsWith("http")) {
            browser.go(platform.url());
        }
        Looks.at(browser, name, shows);
    }

    private void demo() {
        String lead = platform.add("Team Lead", "Splits a request and asks the team", null, "online");
        for (var name : List.of("Researcher", "Writer")) {
            String id = platform.add(
                    name, name.equals("Writer") ? "Puts things into words" : "Looks things up", lead, "online");
            platform.becomes(id, "online", "WORKSPACE_ONLINE", JsonObject.of("url", "http://127.0.0.1:1"));
        }
    }

    /** Director, then engineering, product and customers. */
    private List<String> company() {
        List<String> ids = new ArrayList<>();
        String director =
                platform.add("Director", "Decides what is done next and asks the teams for it", null, "online");
        ids.add(director);
        String engineering = platform.add("Engineering Lead", "Splits what is to be built", director, "online");
        ids.add(engineering);
        ids.add(platform.add("Frontend", "Builds what people see", engineering, "online"));
        ids.add(platform.add("Backend", "Builds what answers", engineering, "online"));
        ids.add(platform.add("Tester", "Tries to break it", engineering, "online"));
        String product = platform.add("Product Lead", "Knows why", director, "online");
        ids.add(product);
        ids.add(platform.add("Researcher", "Asks the users", product, "online"));
        ids.add(platform.add("Designer", "Draws it first", product, "online"));
        String customers = platform.add("Customer Lead", "Speaks with clubs", director, "online");
        ids.add(customers);
        ids.add(platform.add("Support", "Answers questions", customers, "online"));
        ids.add(platform.add("Customer Writer", "Explains and announces", customers, "online"));
        ids.forEach(
                id -> platform.becomes(id, "online", "WORKSPACE_ONLINE", JsonObject.of("url", "http://127.0.0.1:1")));
        platform.said(
                ids.get(10),
                "Please write the announcement.",
                "I have written it up in report.html: 41 lines. Two checks fail, and it says so in its first line.");
        return ids;
    }

    private void atWork(List<String> studio) {
        platform.works(studio.get(0), "reads the plan");
        platform.works(studio.get(3), "fixing test 3 of 5");
        platform.works(studio.get(4), "./check · 46 of 48");
        platform.set(studio.get(3), "monthly_spend", 210);
        platform.set(studio.get(0), "monthly_spend", 90);
        platform.asks(
                studio.get(10),
                "wants to publish the report to ./out: report.html, 41 lines",
                "2 checks fail; it says so in line 1.");
        platform.recorded(
                "DELEGATION_SENT",
                studio.get(0),
                JsonObject.of(
                        "delegation_id", "d1", "target_id", studio.get(1), "task_preview", "make the checks pass"));
        platform.recorded(
                "DELEGATION_COMPLETE",
                studio.get(0),
                JsonObject.of(
                        "delegation_id",
                        "d0",
                        "target_id",
                        studio.get(8),
                        "response_preview",
                        "Three clubs wrote, all ask for dark mode."));
        platform.ephemeral(
                "ACTIVITY_LOGGED",
                studio.get(3),
                JsonObject.of("activity_type", "a2a_receive", "source_id", studio.get(1)));
    }

    private void crowd(int more) {
        String lead = "";
        for (int i = 0; i < more; i++) {
            if (i % 22 == 0) {
                lead = platform.add("Lead " + i / 22, "Leads a team", null, "online");
            } else {
                String id = platform.add("Agent " + i, "Does its part", lead, "online");
                if (i % 13 == 0) {
                    platform.set(id, "active_tasks", 1);
                    platform.set(id, "current_task", "step " + i);
                }
                if (i % 97 == 0) {
                    platform.set(id, "status", "failed");
                }
            }
        }
        browser.go(platform.url());
    }
}
