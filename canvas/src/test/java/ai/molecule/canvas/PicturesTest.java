package ai.molecule.canvas;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/**
 * What is seen now and then, written to {@code target/screens} for somebody to look at, and looked at by axe-core: nothing serious, whatever
 * the theme and the width. Every screen in its daily states is {@link ScreensTest}.
 */
class PicturesTest extends VisitToThePage {

    @Test
    void the_first_visit() {
        demo();
        look("first-visit", "Team Lead");
    }

    @Test
    void nobody_here_yet() {
        look("empty", "No agents yet");
    }

    @Test
    void sixty() {
        StagedCompany.crowd(platform, 60);
        browser.go(platform.url());
        look("sixty", "Lead 0");
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
        String backend = StagedCompany.of(platform).get(3);
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
        browser.named("button", "Move…").click();
        browser.see("may talk to the same agents");
        look("move", "may talk to the same agents");
        browser.keys(Keys.ESCAPE);
    }

    @Test
    void everything_that_may_need_somebody_and_one_of_it_alone() {
        var company = StagedCompany.of(platform);
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
        StagedCompany.of(platform);
        browser.go(platform.url()).see("Backend");
        platform.die();
        look("not-live", "Disconnected since");
    }

    @Test
    void locked() {
        platform.door.key = "secret";
        look("locked", "asks who you are");
    }

    @Test
    void in_forced_colours() {
        StagedCompany.works(platform, StagedCompany.of(platform));
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
}
