package ai.molecule.canvas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;

/** Everything that waits for a person comes from one place, the inbox, and each kind is answered where it stands. */
class NeedsYouTest extends VisitToThePage {

    private String lead;
    private String writer;

    @BeforeEach
    void organisation() {
        lead = platform.add("Team Lead", "Asks the team", null, "online");
        writer = platform.add("Writer", "Writes", lead, "online");
    }

    @Test
    void of_a_tenants_budget_that_is_used_up_as_much_again_is_allowed_with_one_press() {
        String acme = platform.add("Acme Lead", "Leads", null, "online");
        platform.inbox.open(
                "limit",
                acme,
                "l",
                "",
                JsonObject.of("of", "tenant", "id", "0b", "title", "acme", "percent", 100, "limit", 20, "spent", 19.5));
        browser.go(platform.url()).see("the tenant acme spent $19.50 of $20.00");

        browser.named("button", "Raise limit of the tenant acme by $20.00").click();

        browser.see("Allowed");
        assertThat(platform.changes).contains("PATCH /tenants/acme/budget {\"budget_limit\":4000}");
    }

    @Test
    void the_cap_of_a_day_is_raised_by_as_much_again_with_one_press() {
        platform.inbox.open(
                "limit",
                lead,
                "l",
                "",
                limit("organization", "organization", "the organization on 2026-11-28 (UTC)", 20, 19.5));
        browser.go(platform.url()).see("the organization on 2026-11-28 (UTC) spent $19.50 of $20.00");

        browser.named("button", "Raise limit of the organization by $20.00").click();

        browser.see("Allowed");
        assertThat(platform.changes).contains("PUT /settings/spending {\"day_cap\":40}");
    }

    @Test
    void a_question_is_answered_where_it_stands_and_the_task_that_asked_gets_the_words() {
        var details = JsonObject.of(
                "task_id", "t-7", "context_id", "c-7", "question", "Which of the two clubs?", "asks_for", "input");
        String row = platform.inbox.open("question", writer, "t-7", "Which of the two clubs?", details);
        browser.go(platform.url()).see("asks: Which of the two clubs?");
        browser.see("1 needs you");

        browser.find(".reply input").sendKeys("The older one" + Keys.ENTER);

        browser.see("Answered");
        assertThat(platform.changes)
                .hasSize(1)
                .first()
                .asString()
                .startsWith("POST /workspaces/" + writer + "/a2a")
                .contains("The older one", "\"taskId\":\"t-7\"", "\"contextId\":\"c-7\"");
        platform.inbox.resolve(row);
        browser.see("Inbox zero");
        browser.assertCalm();
    }

    @Test
    void a_question_that_was_answered_asks_anew_when_it_is_another() {
        platform.inbox.open("question", writer, "t-7", "Which club?", JsonObject.of("task_id", "t-7"));
        browser.go(platform.url()).find(".reply input").sendKeys("The older one" + Keys.ENTER);
        browser.see("Answered");

        platform.inbox.open("question", writer, "t-7", "And which year?", JsonObject.of("task_id", "t-7"));

        browser.see("asks: And which year?");
        browser.find(".reply input");
    }

    @Test
    void what_holds_up_most_comes_first_and_says_how_much_waits_behind_it() {
        platform.inbox.open("question", writer, "t-1", "First?", JsonObject.of("task_id", "t-1"));
        String second = platform.inbox.open("question", lead, "t-2", "Second?", JsonObject.of("task_id", "t-2"));
        platform.inbox.behind(second, 3, 2);
        browser.go(platform.url()).see("Blocks 3 tasks in 2 runs");

        assertThat(browser.find("article.decide .what").getText()).isEqualTo("asks: Second?");
        platform.inbox.behind(second, 1, 1);
        browser.see("Blocks 1 task");
        browser.seeNot("Blocks 3 tasks");
    }

    @Test
    void it_says_for_which_piece_of_work_it_asks() {
        var piece = platform.work.asked("Ready to release?", lead, "needs_you", 40);
        String row = platform.inbox.open(
                "approval", writer, "a-1", "publish", JsonObject.of("approval_id", "a-1", "action", "publish"));
        platform.inbox.behind(row, 1, 1);
        browser.go(platform.url()).named("button.inline", "Ready to release?").click();

        await().until(() -> String.valueOf(browser.driver().getCurrentUrl()).endsWith("#work=" + piece.id()));
    }

    @Test
    void what_a_tool_asks_to_do_is_shown_whole_because_that_is_what_runs() {
        String text = "<b>line</b> of a file\n".repeat(60) + "the end";
        platform.inbox.open(
                "approval",
                writer,
                "a-1",
                "write report.html",
                JsonObject.of(
                        "approval_id",
                        "a-1",
                        "action",
                        "write report.html",
                        "context",
                        JsonObject.of(
                                "tool", "write", "arguments", JsonObject.of("path", "report.html", "text", text))));
        browser.go(platform.url()).see("write report.html");

        assertThat(browser.find("pre.whole").getDomProperty("textContent")).isEqualTo(text);
        browser.picture("tool-asks-first");
        browser.assertCalm();
    }

    @Test
    void any_context_of_an_approval_is_read_whole_in_its_order_and_hides_nothing() {
        String diff = "--- a/deploy.yaml\n+++ b/deploy.yaml\n-image: shop:1\n+image: shop:2\n";
        String note = "why\n".repeat(5_000) + "the very end";
        var context = new JsonObject()
                .put("cluster", "production")
                .put("diff", diff)
                .put("command", "kubectl apply -f deploy.yaml")
                .put("replicas", JsonObject.of("from", 2, "to", 3))
                .put("note", note);
        for (int i = 0; i < 12; i++) {
            context.put("member" + (char) ('a' + i), "value " + i);
        }
        platform.inbox.open(
                "approval",
                writer,
                "a-1",
                "deploy the shop",
                JsonObject.of("approval_id", "a-1", "action", "deploy the shop", "context", context));
        browser.go(platform.url()).see("deploy the shop");

        assertThat(browser.find("pre.whole[aria-label=diff]").getDomProperty("textContent"))
                .isEqualTo(diff);
        assertThat(browser.find("pre.whole[aria-label=replicas]").getText()).contains("\"to\": 3");
        assertThat(browser.json(
                                "return [...document.querySelectorAll('.decide .fact > span')].map((one) => one.textContent)")
                        .toString())
                .startsWith("[\"cluster\",\"diff\",\"command\",\"replicas\",\"note\",\"membera\"");
        browser.picture("approval-context");
        assertThat(browser.find("pre.whole[aria-label=note]").getDomProperty("textContent"))
                .isEqualTo(note);
        browser.see("value 11");
        assertThat(browser.isThere(".decide button.inline")).isFalse();
        browser.assertCalm();
    }

    @Test
    void what_the_inbox_cut_is_read_whole_before_it_can_be_approved_and_the_decision_names_its_digest() {
        String digest = "6f71ab9fb4d9fdd98775809ff4382dd25ed0917d8a1d3d7f0e062f695a65490d";
        platform.inbox.open(
                "approval",
                writer,
                "a-1",
                "run ./check",
                JsonObject.of("approval_id", "a-1", "action", "run ./check", "context_left_out", true));
        String path = "/workspaces/" + writer + "/approvals/a-1";
        platform.answers.put(path, new JsonObject());
        browser.go(platform.url()).see("This is not all of it");
        assertThat(browser.isThere(".decide button.primary")).isFalse();

        platform.answers.put(
                path,
                JsonObject.of("action", "run ./check", "reason", "", "digest", digest)
                        .put("context", JsonObject.of("command", "rm \u202Etxt.exe p\u0430ypal")));
        browser.go("about:blank").go(platform.url()).see("rm \u27E8U+202E\u27E9txt.exe p\u27E8U+0430\u27E9ypal");
        browser.named("button", "Approve: run ./check").click();

        await().untilAsserted(() -> assertThat(platform.changes)
                .anyMatch(change -> change.contains("/decide") && change.contains("\"digest\":\"" + digest + "\"")));
    }

    @Test
    void every_argument_of_a_tool_that_asks_first_is_shown() {
        var arguments = new JsonObject().put("note", "./check --dry-run");
        for (int i = 0; i < 80; i++) {
            arguments.put("argument" + i, "value " + i);
        }
        arguments.put("command", "id > pwned.txt");
        platform.inbox.open(
                "approval",
                writer,
                "a-1",
                "run ./check --dry-run",
                JsonObject.of(
                        "approval_id",
                        "a-1",
                        "action",
                        "run ./check --dry-run",
                        "context",
                        JsonObject.of("tool", "run", "arguments", arguments)));

        browser.go(platform.url()).see("id > pwned.txt");
        browser.see("value 79");
    }

    @Test
    void an_agent_that_cannot_start_for_want_of_a_key_shows_its_mend() {
        platform.becomes(
                writer,
                "failed",
                "WORKSPACE_PROVISION_FAILED",
                JsonObject.of("error", "Model: no provider of models has a key"));
        platform.answers.put(
                "/workspaces/" + writer + "/console",
                JsonObject.of(
                        "output",
                        "starting\n[FAIL] Model: no provider of models has a key\n  Fix: Store ANTHROPIC_API_KEY as a secret.\n"));
        browser.go(platform.url()).see("Store ANTHROPIC_API_KEY as a secret.");
        browser.picture("failed-start");
        assertThat(browser.seriousFindings()).isEmpty();

        browser.named(".decide button", "Choose model").click();
        await().until(() -> browser.ofTheFocus("focus.getAttribute('name')").equals("model"));
        browser.named(".decide button", "Add API key").click();
        await().until(() -> browser.ofTheFocus("focus.getAttribute('name')").equals("key"));
    }

    @Test
    void a_budget_that_is_spent_is_raised_by_as_much_again() {
        platform.inbox.open(
                "budget",
                writer,
                "",
                "$5.00 of $5.00 of this month",
                JsonObject.of("percent", 100, "budget_limit", 500, "monthly_spend", 500));

        browser.go(platform.url()).named("button", "Raise by $5.00").click();

        browser.see("Allowed");
        assertThat(platform.changes).containsExactly("PATCH /workspaces/" + writer + "/budget {\"budget_limit\":1000}");
    }

    @Test
    void the_limit_of_a_team_and_that_of_a_piece_of_work_are_raised_by_as_much_again() {
        platform.inbox.open(
                "limit", lead, lead, "$4.10 of $5 for: Team Lead", limit("team", lead, "Team Lead", 5, 4.1));
        browser.go(platform.url()).see("its team spent $4.10 of $5.00");

        browser.named("button", "Raise limit of the team of Team Lead by $5.00").click();

        browser.see("Allowed");
        platform.inbox.open("limit", writer, "w-1", "$0.5 of $0.5 for: Write", limit("work", "w-1", "Write", 0.5, 0.5));
        browser.see("“Write” cost $0.50 of $0.50");
        browser.named("button", "Raise limit of “Write” by $0.50").click();
        await().until(() -> platform.changes.size() == 2);
        assertThat(platform.changes)
                .containsExactly(
                        "PATCH /workspaces/" + lead + "/budget {\"team_limit\":1000}", "PATCH /work/w-1 {\"limit\":1}");
    }

    private static JsonObject limit(String of, String id, String title, double limit, double spent) {
        return JsonObject.of("of", of, "id", id, "title", title, "percent", 100, "limit", limit, "spent", spent);
    }

    @Test
    void a_model_without_a_price_gets_one_where_it_is_asked_for() {
        platform.inbox.open("price", writer, "far:new", "", JsonObject.of("model", "far:new"));
        browser.go(platform.url()).see("uses far:new, which has no price");
        browser.find("input[name=in]").sendKeys("2.5");
        browser.find("input[name=out]").sendKeys("10");

        browser.named("button", "Save price").click();

        browser.see("Price saved");
        assertThat(platform.changes)
                .containsExactly("PUT /settings/prices {\"model\":\"far:new\",\"in\":2.5,\"out\":10}");
    }

    @Test
    void a_paused_webhook_names_itself_and_leads_to_where_it_is_taken_over() {
        platform.inbox.open("webhook", writer, "tickets", "", JsonObject.of("webhook", "tickets"));
        browser.go(platform.url()).see("its webhook “tickets” is paused");

        browser.named("button", "Show webhooks").click();

        browser.see("Each delivery starts a run");
    }

    @Test
    void a_run_that_costs_more_than_usual_is_shown_with_its_numbers_until_it_is_dismissed() {
        platform.inbox.open(
                "unusual_cost",
                writer,
                "agent",
                "",
                JsonObject.of("id", "w-1", "title", "Write it", "spent", 0.41, "median", 0.1, "runs", 40));
        browser.go(platform.url()).see("“Write it” cost $0.41, where the median of 40 earlier runs is $0.10");
        browser.named("button", "See it");

        browser.named("button", "Dismiss").click();

        browser.see("Inbox zero");
    }

    @Test
    void whoever_came_by_itself_is_let_in_or_turned_away() {
        platform.inbox.open("stranger", writer, "", "Writer", JsonObject.of("name", "Writer", "role", "Writes"));
        browser.go(platform.url()).see("wants to join; nobody invited it");
        browser.named("button", "Reject").click();
        browser.see("This cannot be undone.");
        keys(Keys.ESCAPE);

        browser.named("button", "Approve agent").click();

        browser.see("Approved");
        assertThat(platform.changes).hasSize(1).first().asString().startsWith("POST /workspaces/" + writer + "/admit");
    }

    @Test
    void what_may_have_happened_waits_until_somebody_looked() {
        String row = platform.inbox.open(
                "outcome_unknown",
                lead,
                "d",
                "outcome unknown: the connection was lost",
                JsonObject.of("delegation_id", "d", "target_id", writer));
        browser.go(platform.url()).see("outcome unknown: the connection was lost");
        browser.named("button", "Ask Writer");

        browser.named("button", "It ran").click();

        browser.see("Inbox zero");
        assertThat(platform.changes).hasSize(1).first().asString().startsWith("DELETE /inbox/" + row);
    }

    @Test
    void what_did_not_happen_is_handed_on_again_in_the_same_words() {
        String row = platform.inbox.open(
                "outcome_unknown",
                lead,
                "d",
                "outcome unknown: the connection was lost",
                JsonObject.of("delegation_id", "d", "target_id", writer));
        browser.go(platform.url()).see("Outcome unknown.");
        browser.picture("in-doubt");

        browser.named("button", "Retry").click();

        browser.see("Inbox zero");
        assertThat(platform.changes)
                .satisfiesExactly(
                        change -> assertThat(change)
                                .isEqualTo("POST /workspaces/" + lead + "/delegate {\"again\":\"d\"}"),
                        change -> assertThat(change).startsWith("DELETE /inbox/" + row));
        browser.assertCalm();
    }

    @Test
    void a_finger_holds_what_cannot_be_undone() {
        platform.inbox.open(
                "outcome_unknown",
                lead,
                "d",
                "outcome unknown: the connection was lost",
                JsonObject.of("delegation_id", "d", "target_id", writer));
        browser.size(390, 844).go(platform.url() + "#needs");
        var button = browser.named("button", "Retry");

        Finger.inTheMiddleOf(button).swipes(browser, 0, 0);

        browser.script("return new Promise((done) => setTimeout(done, 900))"); // longer than it would have to be held
        assertThat(platform.changes).isEmpty();
        Finger.tells(browser, "touchStart", Finger.inTheMiddleOf(button));
        await().until(() -> platform.changes.size() == 2);
        Finger.tells(browser, "touchEnd");
        browser.see("Inbox zero");
        assertThat(platform.changes).hasSize(2);
    }

    @Test
    void a_kind_that_nobody_knows_here_is_shown_in_the_words_of_the_platform() {
        platform.inbox.open("moon_phase", writer, "", "The moon is full.", new JsonObject());

        browser.go(platform.url()).see("The moon is full.");
        browser.see("1 needs you");
        browser.assertCalm();
    }

    @Test
    void who_cannot_start_for_want_of_a_key_is_mended_where_it_is_said() {
        platform.becomes(
                writer,
                "failed",
                "WORKSPACE_PROVISION_FAILED",
                JsonObject.of("error", "no key for Anthropic", "missing", JsonArray.of("ANTHROPIC_API_KEY")));
        browser.go(platform.url()).see("cannot start: no key for Anthropic");

        browser.named("button", "Add API key").click();

        browser.find(".settings input[name=key]");
        platform.becomes(writer, "online", "WORKSPACE_ONLINE", new JsonObject());
        browser.see("Inbox zero");
    }

    @Test
    void what_somebody_else_decided_is_said_to_be_by_whom() {
        String approval = platform.asks(writer, "publish report.html", "");
        platform.recorded(
                "APPROVAL_APPROVED",
                writer,
                JsonObject.of("approval_id", approval, "decision", "approved", "decided_by", "Kim"));
        platform.refusals.put("/workspaces/" + writer + "/approvals/" + approval + "/decide", 404);

        browser.go(platform.url()).named("button", "Deny: publish").click();

        browser.see("Too late for “publish report.html”. Kim approved this");
    }

    @Test
    void what_nobody_decided_in_time_is_asked_for_again() {
        String approval = "0".repeat(8) + "-0000-4000-8000-" + "0".repeat(12);
        platform.recorded(
                "APPROVAL_DENIED",
                writer,
                JsonObject.of(
                        "approval_id", approval, "decision", "denied", "decided_by", "", "decided_with", "expiry"));
        platform.answers.put(
                "/workspaces/" + writer + "/approvals",
                JsonArray.of(JsonObject.of("id", approval, "action", "publish report.html", "status", "denied")));
        browser.go(platform.url())
                .named("organisation-side button", "Approval of Writer expired")
                .click();
        browser.see("Expired: nobody decided in time.");
        browser.see("publish report.html");
        browser.picture("ask-again");

        browser.named("button", "Request again").click();

        browser.see("Writer reads this");
        browser.see("whether you may: publish report.html");
        assertThat(platform.changes)
                .filteredOn(change -> change.contains("message/stream"))
                .hasSize(1)
                .first()
                .asString()
                .startsWith("POST /workspaces/" + writer + "/a2a")
                .contains("please ask again");
        browser.assertCalm();
    }

    @Test
    void a_piece_of_work_that_spent_its_limit_is_stopped_there_with_all_who_are_at_it() {
        var piece = platform.work
                .asked("Write", lead, "working", 40)
                .task(writer, lead, "running", 5, null, "a first draft");
        String row = platform.inbox.open(
                "limit", lead, piece.id(), "$0.5 of $0.5 for: Write", limit("work", piece.id(), "Write", 0.5, 0.5));
        browser.go(platform.url()).see("“Write” cost $0.50 of $0.50");

        browser.named("button", "Stop “Write” here").click();

        browser.see("Stopped");
        for (String agent : List.of(lead, writer)) {
            assertThat(platform.changes)
                    .anyMatch(change ->
                            change.startsWith("POST /workspaces/" + agent + "/a2a") && change.contains("tasks/cancel"));
        }
        platform.inbox.resolve(row);
        browser.see("Inbox zero");
        browser.assertCalm();
    }

    @Test
    void a_refusal_stays_with_what_was_refused() {
        String approval = platform.asks(writer, "publish report.html", "");
        platform.refusals.put("/workspaces/" + writer + "/approvals/" + approval + "/decide", 503);

        browser.go(platform.url()).named("button", "Approve: publish").click();

        browser.see("Not done: refused here");
        assertThat(browser.named("button", "Approve: publish").isEnabled()).isTrue();
        browser.see("1 needs you");
    }

    @Test
    void a_hint_that_was_missed_is_made_up_for_when_the_stream_comes_back() {
        browser.go(platform.url()).see("Inbox zero");
        platform.inbox.mute = true;
        platform.asks(writer, "publish report.html", "");

        platform.cut();

        browser.see("publish report.html");
    }

    @Test
    void a_position_that_is_kept_no_more_reads_everything_anew() {
        browser.go(platform.url()).see("Inbox zero");
        platform.inbox.mute = true;
        platform.asks(writer, "publish report.html", "");
        platform.inbox.forgetful = true;
        platform.inbox.mute = false;

        platform.asks(writer, "delete the archive", "");

        browser.see("publish report.html");
        browser.see("delete the archive");
    }

    @Test
    void a_decision_under_way_is_still_under_way_after_a_reload() {
        platform.graceful = true;
        platform.asks(writer, "publish report.html", "");
        browser.go(platform.url()).named("button", "Approve: publish").click();
        browser.see("Approving in");

        browser.go(platform.url());

        browser.named("button", "Undo: publish");
    }

    @Test
    void of_many_the_first_twenty_are_cards_and_the_others_are_counted() {
        for (int i = 0; i < 450; i++) {
            platform.inbox.open("moon_phase", writer, "" + i, "Moon " + i, new JsonObject());
        }

        browser.go(platform.url()).see("450 need you");

        browser.see("and 430 more");
        await().until(() ->
                browser.driver().findElements(By.cssSelector("article.decide")).size() == 20);
    }
}
