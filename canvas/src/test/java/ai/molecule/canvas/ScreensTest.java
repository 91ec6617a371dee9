package ai.molecule.canvas;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.openqa.selenium.Keys;

/**
 * Every screen, idle, at work, with a failure and with five hundred agents, each in light, dark and on a phone: written to {@code
 * target/screens} for somebody to look at, and looked at by axe-core.
 */
@EnabledIfSystemProperty(
        named = "molecule.pictures",
        matches = "all",
        disabledReason = "170 pictures take some six minutes: -Dmolecule.pictures=all, or .ci/long")
class ScreensTest extends VisitToThePage {

    @Test
    void idle() {
        var company = StagedCompany.of(platform);
        platform.work.asked("Is the club calendar ready to release?", company.get(0), "done", 600);
        everyScreen("idle", company.get(10), "Customer Writer");
    }

    @Test
    void at_work() {
        var company = StagedCompany.of(platform);
        StagedCompany.works(platform, company);
        platform.work
                .asked("Is the club calendar ready to release?", company.get(0), "working", 95)
                .task(company.get(1), company.get(0), "running", 20, null, "make the checks pass");
        everyScreen("at-work", company.get(10), "Customer Writer");
    }

    @Test
    void with_a_failure() {
        var company = StagedCompany.of(platform);
        StagedCompany.fails(platform, company);
        platform.work
                .asked("Is the club calendar ready to release?", company.get(0), "failed", 600)
                .task(company.get(3), company.get(0), "error", 20, 40, "make the checks pass");
        everyScreen("failure", company.get(3), "Backend");
    }

    @Test
    void with_five_hundred_agents() {
        StagedCompany.crowd(platform, 500);
        var id = platform.idOf("Agent 97");
        platform.work.asked("Is the club calendar ready to release?", platform.idOf("Lead 0"), "working", 95);
        everyScreen("five-hundred", id, "Agent 97");
    }

    @Test
    void of_the_house() {
        var company = StagedCompany.of(platform);
        StagedHouse.of(platform, company.get(1));
        at("#house", "full", "house", "tickets");
        browser.named(".who-is-told summary", "Add channel").click();
        Looks.at(browser, "house-telling", "Of what");
    }

    @Test
    void asleep() {
        var company = StagedCompany.of(platform);
        for (int i : new int[] {2, 3, 6, 7}) {
            platform.becomes(company.get(i), "hibernated", "WORKSPACE_HIBERNATED", new JsonObject());
        }
        at("", "asleep", "map", "Backend");
        at("", "asleep", "list", "Lead", "header button", "List");
        at("#" + company.get(3), "asleep", "talk", "Backend sleeps");
        at("#" + company.get(3), "asleep", "settings", "Wake", "[role=tab]", "Settings");
    }

    @Test
    void of_people_who_come_and_of_who_only_looks() {
        StagedCompany.works(platform, StagedCompany.of(platform));
        browser.driver().executeCdpCommand("Network.clearBrowserCookies", Map.of()); // they are of all ports
        platform.door.key = "a-password-of-hers";
        platform.door.person = StagedPeople.person("Kim", "viewer", null);
        platform.answers.put("/people", StagedPeople.everybody());
        at("", "people", "door", "Sign in with Example Works");
        at("#link=once", "people", "link", "Choose how you sign in");
        at("", "people", "door", "Sign in with Example Works");
        browser.find("#login").sendKeys("kim");
        browser.find("#password").sendKeys("a-password-of-hers" + Keys.ENTER);
        browser.see("You may look, not act");
        String writer = platform.idOf("Customer Writer");
        at("", "looking", "map", "Customer Writer");
        at("", "looking", "list", "Customer Writer", "header button", "List");
        at("#needs", "looking", "needs", "INBOX");
        at("#" + writer, "looking", "talk", "You can view this agent, not act on it");
        at("#" + writer, "looking", "settings", "Runs on", "[role=tab]", "Settings");
        at("#house", "looking", "house", "No instructions yet");
        platform.door.person = StagedPeople.person("Kim", "owner", null);
        at("", "people", "names", "TOKENS FOR PROGRAMS", "button.person", "Kim");
    }

    private void everyScreen(String state, String id, String name) {
        var work = (JsonArray) Objects.requireNonNull(platform.answers.get("/work"));
        String piece = work.getJsonObject(0).getString("id");
        at("", state, "map", name.equals("Agent 97") ? "Lead 4" : name);
        at("", state, "list", "Lead", "header button", "List");
        at("#work", state, "work", "What people, schedules and webhooks asked for");
        at("#work=" + piece, state, "piece", "WHO DID WHAT");
        at("#needs", state, "needs", "Needs you");
        at("#" + id, state, "talk", name + " reads this");
        at("#" + id, state, "asked-of-it", "Nobody asked it for anything", "[role=tab]", "Runs");
        at("#" + id, state, "settings", "Runs on", "[role=tab]", "Settings");
        at("#" + id, state, "inside", "EVENTS", "[role=tab]", "Logs & files");
        at("", state, "add", "Create invite", "header button", "New");
    }

    /** @param press what is pressed first to come there: how to find it, and its words */
    private void at(String link, String state, String screen, String shows, String... press) {
        browser.size(1440, 900).go("about:blank").go(platform.url() + link);
        if (press.length > 0) {
            browser.named(press[0], press[1]).click();
        }
        Looks.at(browser, screen + "-" + state, shows);
    }
}
