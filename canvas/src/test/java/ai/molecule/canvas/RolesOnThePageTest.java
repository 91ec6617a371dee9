package ai.molecule.canvas;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.openqa.selenium.Keys;

/** Nobody is offered what would be refused: whoever looks presses everything that can be pressed, and the doors are those of the real platform. */
class RolesOnThePageTest extends VisitToThePage {

    private static final String PASSWORD = "a-password-of-hers";
    private static final String KIM = "kim@example.org";
    private static final String WALK = Browser.resource("/walk.js");

    private List<String> studio;
    private String piece;
    private String shop;

    @BeforeEach
    void organisation() {
        browser.driver().executeCdpCommand("Network.clearBrowserCookies", Map.of()); // they are of all ports
        browser.driver().manage().timeouts().scriptTimeout(Duration.ofMinutes(3));
        studio = studio();
        shop = platform.add("Shop Lead", "Sells", studio.get(0), "online");
        platform.asks(studio.get(3), "publish report.html", "it is ready");
        platform.inbox.open("question", studio.get(2), "t", "Which club?", JsonObject.of("task_id", "t"));
        platform.inbox.open("budget", studio.get(2), "b", "$5.00 of $5.00", JsonObject.of("budget_limit", 500));
        platform.inbox.open(
                "limit", studio.get(2), "l", "", JsonObject.of("of", "work", "id", "w-9", "limit", 1, "title", "T"));
        platform.inbox.open(
                "outcome_unknown",
                studio.get(1),
                "o",
                "the connection was lost",
                JsonObject.of("target_id", studio.get(2), "delegation_id", "d-1"));
        platform.inbox.open("stranger", shop, "s", "Shop Lead", JsonObject.of("name", "Shop Lead"));
        platform.becomes(
                studio.get(2),
                "failed",
                "WORKSPACE_PROVISION_FAILED",
                JsonObject.of("error", "no key", "missing", new JsonArray()));
        piece = platform.work
                .asked("Is it ready?", studio.get(0), "working", 95)
                .task(studio.get(1), studio.get(0), "running", 20, null, "make the checks pass")
                .id();
        StagedHouse.of(platform, studio.get(1));
    }

    @Test
    void a_viewer_is_offered_nothing_that_would_be_refused_and_told_who_could() {
        comes("viewer", null);
        platform.answers.put("/people", StagedPeople.everybody());
        signIn();
        browser.see("You may look, not act; owners: Ada.");
        browser.see("7 in inbox");
        browser.see("You can view this item, not decide it.");
        assertThat(browser.isThere("ask-composer")).isFalse();

        walk("Director", "");

        assertThat(platform.door.refused).isEmpty();
        assertThat(platform.changes)
                .as("only what is of their own, and trying what would be refused")
                .allMatch(change ->
                        change.matches("(POST|DELETE) /(people/me|sessions|people/accept).*|POST /\\S*policy/test .*"));
        browser.find("input[type=search]").sendKeys("restart backend");
        browser.see("1 of 5");
        assertThat(browser.isThere("[role=option]")).isFalse();
    }

    @Test
    @EnabledIfSystemProperty(
            named = "molecule.walks",
            matches = "all",
            disabledReason =
                    "it takes 20 s, and what it finds the walk along a branch finds too: -Dmolecule.walks=all, or .ci/long")
    void an_operator_may_do_all_that_is_offered() {
        comes("operator", null);
        signIn();

        walk("Director", piece);

        assertThat(platform.door.refused).isEmpty();
        assertThat(platform.changes)
                .anyMatch(change -> change.endsWith("/pause "))
                .anyMatch(change -> change.startsWith("DELETE /workspaces/"))
                .anyMatch(change -> change.contains("/decide "))
                .anyMatch(change -> change.startsWith("POST /instructions"))
                .anyMatch(change -> change.startsWith("POST /notifications/targets"))
                .anyMatch(change -> change.startsWith("PUT /webhooks/"))
                .anyMatch(change -> change.startsWith("POST /work "))
                .noneMatch(change -> change.startsWith("PUT /settings/secrets"));
    }

    @Test
    void an_operator_of_a_branch_may_do_all_that_is_offered_and_sees_no_other() {
        comes("operator", studio.get(1));
        signIn();
        browser.seeNot("Shop Lead");
        assertThat(browser.isThere("button.more-agents")).isFalse();

        walk("Engineering Lead", "");

        assertThat(platform.door.refused).noneMatch(refused -> !refused.startsWith("GET "));
        assertThat(platform.changes)
                .anyMatch(change -> change.endsWith("/pause "))
                .anyMatch(change -> change.contains("/decide "));
    }

    @Test
    void who_acts_for_a_tenant_is_offered_its_trees_and_nothing_of_all() {
        String other = platform.add("Globex Lead", "Elsewhere", null, "online");
        platform.set(studio.get(0), "tenant", "acme");
        platform.set(other, "tenant", "globex");
        var kim = comes("viewer", null);
        kim.put("roles", JsonArray.of(JsonObject.of("role", "operator", "tenant", "acme")));
        signIn();
        browser.seeNot("Globex Lead");
        assertThat(browser.isThere("button.more-agents")).isFalse();
        browser.named("button.card", "Tester").click();
        browser.see("Tester reads this");
        browser.find("agent-panel textarea").sendKeys("hello" + Keys.ENTER);

        browser.see("Done.");
        browser.named("button.person", "Kim").click();
        browser.see("operator of the tenant acme");
        assertThat(platform.door.refused).isEmpty();
    }

    /** Whoever looks at everything and acts for one team is told at each what they may. */
    @Test
    void who_looks_at_all_and_acts_for_one_branch_is_offered_that() {
        var kim = comes("viewer", null);
        kim.getJsonArray("roles").add(JsonObject.of("role", "operator", "branch", studio.get(1)));
        signIn();
        browser.see("Engineering Lead");
        assertThat(browser.isThere(".looks")).isFalse();

        browser.named("button.card", "Shop Lead").click();
        browser.see("You can view this agent, not act on it.");
        browser.named("button.card", "Tester").click();
        browser.see("Tester reads this");
        browser.find("agent-panel textarea").sendKeys("hello" + Keys.ENTER);

        browser.see("Done.");
        assertThat(platform.door.refused).isEmpty();
    }

    @Test
    void who_does_not_decide_by_a_rule_is_shown_who_does_and_why_not() {
        ruled("a-7", "pay rent", JsonObject.of("people", JsonArray.of("lee")));
        ruled("a-8", "pay wages", JsonObject.of("people", JsonArray.of(KIM, "lee"), "askers", JsonArray.of(KIM)));
        ruled("a-9", "pay taxes", JsonObject.of("role", "operator", "approved_by", JsonArray.of(KIM)));
        ruled(
                "a-10",
                "pay dues",
                JsonObject.of(
                        "people",
                        JsonArray.of("lee"),
                        "escalated_at",
                        "2026-11-28T10:00:00Z",
                        "escalation",
                        JsonObject.of("role", "operator")));
        comes("operator", null);
        signIn();

        browser.see("Waits for lee.");
        browser.see("You do not decide this: approval rule money names others.");
        browser.see("You do not decide this: you asked for it, or may have.");
        assertThat(offered("a-7")).isEqualTo("false false");
        assertThat(offered("a-8")).isEqualTo("false false");
        assertThat(offered("a-9")).isEqualTo("false true");
        assertThat(offered("a-10")).isEqualTo("true true");
    }

    private void ruled(String approval, String action, JsonObject deciders) {
        deciders.put("rule", "money").put("waits", "waits for lee");
        platform.inbox.open(
                "approval",
                studio.get(3),
                approval,
                action,
                JsonObject.of("approval_id", approval, "action", action, "reason", "", "deciders", deciders));
    }

    /** Whether there is a button to approve, and one to deny. */
    private String offered(String approval) {
        String button = "[data-approval='%s'] button[aria-label^='%s:']";
        return browser.isThere(button.formatted(approval, "Approve")) + " "
                + browser.isThere(button.formatted(approval, "Deny"));
    }

    private JsonObject comes(String role, @Nullable String branch) {
        var kim = StagedPeople.person("Kim", role, branch);
        platform.door.key = PASSWORD;
        platform.door.person = kim;
        return kim;
    }

    private void signIn() {
        browser.go(platform.url()).find("#login").sendKeys("kim");
        browser.find("#password").sendKeys(PASSWORD + Keys.ENTER);
        browser.see("Tester");
    }

    /** Every screen, and every tab of one who leads. */
    private void walk(String leader, String work) {
        String id = platform.idOf(leader);
        var places = new JsonArray()
                .add(JsonArray.of("", ""))
                .add(JsonArray.of("needs", ""))
                .add(JsonArray.of("work", ""))
                .add(JsonArray.of(work.isEmpty() ? "work" : "work=" + work, ""))
                .add(JsonArray.of("house", ""))
                .add(JsonArray.of("platform", ""));
        for (var tab : List.of("talk", "work", "about", "inside")) {
            places.add(JsonArray.of(id, tab));
        }
        Object pressed = browser.driver().executeAsyncScript(WALK, places.encode());
        assertThat(String.valueOf(pressed)).as("what could be pressed").contains("Map");
    }
}
