package ai.molecule.canvas;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What holds for the organisation as a whole: house rules, what is refused, who is told of what waits, and what comes in from elsewhere. */
class HouseTest extends VisitToThePage {

    private List<String> studio;

    @BeforeEach
    void organisation() {
        studio = studio();
    }

    @Test
    void the_limits_of_runs_and_days_are_shown_and_changed() {
        StagedHouse.of(platform, studio.get(1));
        come("A run that reaches its limit");
        var run = browser.find(".limits input[name=run_limit]");
        assertThat(run.getAttribute("value")).isEqualTo("5");
        run.clear();
        browser.find(".limits input[name=day_cap]").sendKeys("40.5");

        browser.named(".limits button", "Save").click();

        browser.see("It applies from the next run");
        assertThat(platform.changes).containsExactly("PUT /settings/spending {\"run_limit\":null,\"day_cap\":40.5}");
    }

    @Test
    void rules_stand_in_the_order_in_which_they_are_read_and_are_made_changed_switched_off_and_deleted() {
        StagedHouse.of(platform, studio.get(1));
        come("No tracking");
        assertThat(browser.json("return [...document.querySelectorAll('.rules li b')].map((one) => one.textContent)")
                        .toString())
                .isEqualTo("[\"No tracking\",\"Red first\",\"Old words\"]");
        browser.see("for the team of Engineering Lead, before others (5)");
        browser.see("for Engineering Lead alone, disabled");

        browser.named(".rules summary", "Add instruction").click();
        browser.find(".rules option[value='team:" + studio.get(1) + "']").click();
        browser.find(".rules input[name=title]").sendKeys("Plain words");
        browser.find(".rules textarea").sendKeys("Say it in plain words.");
        browser.named(".rules button", "Save").click();
        browser.see("It applies from the next prompt");
        browser.named("button", "Change No tracking").click();
        var content = browser.find(".rules .opened textarea");
        content.clear();
        content.sendKeys("No trackers.");
        browser.named(".rules .opened button", "Save").click();
        browser.named("button", "Disable No tracking").click();
        browser.see("Disabled.");
        browser.named("button", "Delete Old words").click();

        browser.see("Deleted.");
        assertThat(platform.changes)
                .containsExactly(
                        "POST /instructions "
                                + JsonObject.of(
                                        "scope",
                                        "team",
                                        "scope_target",
                                        studio.get(1),
                                        "title",
                                        "Plain words",
                                        "content",
                                        "Say it in plain words.",
                                        "priority",
                                        0),
                        "PUT /instructions/" + StagedHouse.RULE + " "
                                + JsonObject.of("title", "No tracking", "content", "No trackers.", "priority", 0),
                        "PUT /instructions/" + StagedHouse.RULE + " {\"enabled\":false}",
                        "DELETE /instructions/4c1e0000-0000-4000-8000-000000000003 ");
        browser.assertCalm();
    }

    @Test
    void rules_on_calls_say_whom_they_hold_for_are_tried_on_the_past_and_made_to_refuse() {
        StagedHouse.of(platform, studio.get(1));
        platform.answers.put("POST /policy/test", StagedHouse.trial(412, 3));
        String branch = "/workspaces/" + studio.get(1) + "/policy";
        come("no-tools-at-night");
        browser.see("for everybody, Enforce");
        browser.see("for Engineering Lead and all below, Audit");
        browser.see("“ask a person first”");
        browser.named("button", "Test no-tools-at-night on last 7 days").click();
        browser.see("Of 412 calls of the last 7 days it would have denied 3.");
        browser.see("Tester → Director");
        browser.see("2 more calls of agents that are gone could not be tried.");
        browser.named("button", "Enforce no-cheap-callers").click();
        browser.see("The policy denies calls from now on.");
        browser.named(".policy summary", "Add policy").click();
        browser.find(".policy option[value='" + studio.get(1) + "']").click();
        browser.find(".policy input[name=name]").sendKeys("no-spenders");
        browser.find(".policy .more textarea").sendKeys("caller.spend > 5.0");
        browser.named(".policy .more button", "Test on last 7 days").click();
        browser.see("No calls in the last 7 days");
        browser.find(".policy .more input[name=says]").sendKeys("you spent enough");
        browser.named(".policy .more button", "Save").click();
        browser.see("The policy audits calls and denies none yet");
        browser.named("button", "Delete no-tools-at-night").click();

        browser.see("Deleted.");
        assertThat(platform.changes)
                .containsExactly(
                        "POST /policy/test "
                                + JsonObject.of("since_secs", 604_800, "refuse_when", "tool == 'run_command'"),
                        "PUT " + branch + "/no-cheap-callers "
                                + JsonObject.of(
                                        "refuse_when",
                                        "caller.kind == 'workspace' && caller.tier < 2 && method.startsWith('message/')",
                                        "says",
                                        "",
                                        "mode",
                                        "enforce"),
                        "POST " + branch + "/test "
                                + JsonObject.of("since_secs", 604_800, "refuse_when", "caller.spend > 5.0"),
                        "PUT " + branch + "/no-spenders "
                                + JsonObject.of(
                                        "refuse_when",
                                        "caller.spend > 5.0",
                                        "says",
                                        "you spent enough",
                                        "mode",
                                        "observe"),
                        "DELETE /policy/no-tools-at-night ");
        browser.assertCalm();
        browser.find(".policy .more textarea").sendKeys("caller.tier < 2");
        browser.named("button", "Test no-cheap-callers on last 7 days").click();
        Looks.at(browser, "policy", "no-cheap-callers");
    }

    @Test
    void a_rule_that_does_not_compile_says_why_and_stays_as_it_was_typed() {
        StagedHouse.of(platform, studio.get(1));
        platform.answers.put(
                "PUT /policy/no-tools-at-night",
                JsonObject.of("error", "refuse_when does not compile: undeclared reference to 'tol'"));
        come("no-tools-at-night");
        browser.named("button", "Change no-tools-at-night").click();
        var when = browser.find(".policy .opened textarea");
        when.clear();
        when.sendKeys("tol == 'x'");
        browser.named(".policy .opened button", "Save").click();

        browser.see("undeclared reference to 'tol'");
        assertThat(browser.find(".policy .opened textarea").getDomProperty("value"))
                .isEqualTo("tol == 'x'");
    }

    @Test
    void an_agent_says_which_rules_hold_for_it_and_of_those_from_above_no_more_than_their_words() {
        platform.answers.put(
                "/workspaces/" + studio.get(3) + "/policy",
                JsonObject.of(
                        "rules",
                        JsonArray.of(new JsonObject()
                                .put("name", "of-those-above")
                                .putNull("branch")
                                .putNull("branch_name")
                                .putNull("refuse_when")
                                .put("mode", "enforce")
                                .put("says", "ask your lead")
                                .put("from_above", true))));
        settingsOf("Tester");
        browser.see("from above this branch, Enforce");
        browser.see("“ask your lead”");
        assertThat(browser.isThere(".policy pre.when")).isFalse();
        assertThat(browser.isThere(".policy li button")).isFalse();

        browser.named(".policy summary", "Add policy").click();
        browser.find(".policy input[name=name]").sendKeys("no-strangers");
        browser.find(".policy textarea").sendKeys("caller.kind == 'person'");
        browser.named(".policy button", "Save").click();

        browser.see("The policy audits calls and denies none yet");
        assertThat(platform.changes)
                .containsExactly("PUT /workspaces/" + studio.get(3) + "/policy/no-strangers "
                        + JsonObject.of("refuse_when", "caller.kind == 'person'", "says", "", "mode", "observe"));
    }

    @Test
    void who_is_told_says_how_it_goes_with_each_and_a_mail_is_set_up_tried_and_deleted() {
        StagedHouse.of(platform, studio.get(1));
        come("takes nothing since");
        browser.see("answered 500");
        browser.see("3 things to tell");
        browser.see("approvals, questions");
        browser.see("quiet from 22:00 to 07:00; how the day went at 08:00; Europe/Berlin");
        browser.see("the on-call channel is told instead");

        browser.named(".who-is-told summary", "Add channel").click();
        type("who", "Ada");
        type("name", "Ada’s mail");
        type("to", "ada@example.org");
        type("from", "molecule@example.org");
        type("url", "smtps://mail.example.org:465");
        type("secret", "a password");
        browser.find(".who-is-told .more input[value=degraded]").click();
        browser.named(".who-is-told .more button", "Save").click();
        browser.see("Saved. Send a test next.");
        browser.named("button", "Send test to Kim’s mail").click();
        browser.see("Test sent to Kim’s mail.");
        browser.named("button", "Delete the on-call channel").click();
        browser.see("Deleted.");

        var made = new JsonObject(platform.changes.getFirst().substring("POST /notifications/targets ".length()));
        assertThat(made.getString("channel")).isEqualTo("email");
        assertThat(made.getString("secret")).isEqualTo("a password");
        assertThat(made.getValue("user")).isNull();
        assertThat(made.getJsonArray("kinds")).hasSize(11).doesNotContain("degraded");
        assertThat(platform.changes.subList(1, 3))
                .containsExactly(
                        "POST /notifications/targets/" + StagedHouse.TARGET + "/test {}",
                        "DELETE /notifications/targets/" + StagedHouse.FAILING + " ");
        browser.assertCalm();
    }

    @Test
    void a_target_that_is_changed_keeps_its_secret_and_a_refusal_loses_nothing_that_was_typed() {
        StagedHouse.of(platform, studio.get(1));
        platform.refusals.put("/notifications/targets/" + StagedHouse.TARGET, 400);
        come("Kim’s mail");
        browser.named("button", "Change Kim’s mail").click();
        var who = browser.find(".who-is-told .opened input[name=who]");
        who.clear();
        who.sendKeys("Kim Possible");
        browser.named(".who-is-told .opened button", "Save").click();

        browser.see("refused here");
        assertThat(browser.find(".who-is-told .opened input[name=who]").getDomProperty("value"))
                .isEqualTo("Kim Possible");
        var said = new JsonObject(platform.changes.getFirst().replaceFirst("^PATCH \\S+ ", ""));
        assertThat(said.fieldNames()).doesNotContain("secret", "channel").contains("quiet_from", "deputy");
        assertThat(said.getString("deputy")).isEqualTo(StagedHouse.FAILING);
        assertThat(said.getValue("kinds")).isNull();
    }

    @Test
    void what_others_send_gets_an_address_and_a_secret_that_was_made_up() {
        come("No webhooks yet.");
        browser.named(".incoming summary", "Add webhook").click();
        browser.find(".incoming input[name=type]").sendKeys("tickets");
        String secret = browser.find(".incoming input[name=secret]").getDomProperty("value");
        assertThat(secret).matches("[0-9a-f]{48}");
        browser.find(".incoming input[name=events]").sendKeys("opened, closed");
        browser.named(".incoming button", "Save").click();

        browser.see("Give the sender the address and the secret.");
        assertThat(platform.changes)
                .containsExactly("PUT /webhooks/tickets "
                        + new JsonObject()
                                .put("to", studio.get(0))
                                .put("secret", secret)
                                .put("events", JsonArray.of("opened", "closed"))
                                .putNull("limit"));
        assertThat(browser.find(".incoming input[name=secret]").getDomProperty("value"))
                .matches("[0-9a-f]{48}")
                .isNotEqualTo(secret);
    }

    @Test
    void senders_say_their_address_whom_they_ask_and_what_it_may_cost() {
        StagedHouse.of(platform, studio.get(1));
        come("tickets");
        browser.see(platform.url() + "webhooks/tickets");
        browser.see("asks Engineering Lead; whatever happens");
        browser.see("asks the agent in the address; issues.opened, pull_request.opened; at most $1.50 each");
        Looks.at(browser, "house", "tickets");
        browser.named("button", "Delete tickets").click();

        browser.see("Deleted.");
        assertThat(platform.changes).containsExactly("DELETE /webhooks/tickets ");
    }

    @Test
    void an_agent_says_what_it_is_told_and_is_told_one_more() {
        String path = "/workspaces/" + studio.get(3);
        platform.answers.put(
                path + "/instructions/resolve",
                JsonObject.of(
                        "instructions", "## Platform-Wide Rules\n\n### No tracking\n\nNone.\n\n### Red first\n\nYes."));
        settingsOf("Tester");
        browser.named(".rules-of summary", "Instruction text: 2 instructions").click();
        browser.see("### No tracking");
        browser.named(".rules-of summary", "Add instruction").click();
        browser.find(".rules-of input[name=title]").sendKeys("Twice");
        browser.find(".rules-of textarea").sendKeys("Run each test twice.");
        browser.named(".rules-of button", "Save").click();

        browser.see("It applies from the next prompt");
        assertThat(platform.changes)
                .containsExactly("POST /instructions "
                        + JsonObject.of(
                                "scope",
                                "workspace",
                                "scope_target",
                                studio.get(3),
                                "title",
                                "Twice",
                                "content",
                                "Run each test twice."));
        browser.named(".rules-of button", "All instructions").click();
        browser.see("Every agent reads them");
    }

    private void come(String shows) {
        browser.go(platform.url() + "#house").see(shows);
    }

    private static void type(String field, String words) {
        browser.find(".who-is-told .more input[name=" + field + "]").sendKeys(words);
    }
}
