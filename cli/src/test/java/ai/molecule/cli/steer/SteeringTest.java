package ai.molecule.cli.steer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An organisation steered from a terminal: who is there, what it may, what it knows. */
class SteeringTest extends AtATerminal {

    @Test
    void one_word_pauses_resumes_and_restarts_an_agent() {
        assertThat(run("pause", "Lead")).isZero();
        assertThat(run("resume", "lead")).isEqualTo(2);
        assertThat(run("restart", "i-2")).isZero();

        assertThat(asked).containsExactly("POST /workspaces/i-1/pause", "POST /workspaces/i-2/restart");
        assertThat(screen.err()).contains("Lead (i-1) is paused", "There is no agent lead; did you mean Lead?");
        assertThat(screen.out()).isEmpty();
    }

    @Test
    void agents_sleep_wake_and_are_told_after_how_long() {
        answers.put(
                "GET /workspaces/i-1/hibernation", "{\"hibernation_idle_minutes\":null,\"effective_idle_minutes\":30}");
        answers.put(
                "PATCH /workspaces/i-1/hibernation", "{\"hibernation_idle_minutes\":0,\"effective_idle_minutes\":0}");

        assertThat(run("hibernate", "Lead")).isZero();
        assertThat(run("wake", "Lead")).isZero();
        assertThat(run("idle", "Lead")).isZero();
        assertThat(run("idle", "Lead", "never")).isZero();
        assertThat(run("idle", "Lead", "15")).isZero();
        assertThat(run("idle", "Lead", "inherit")).isZero();
        assertThat(run("idle", "Lead", "soon")).isEqualTo(2);

        assertThat(asked)
                .containsExactly(
                        "POST /workspaces/i-1/hibernate",
                        "POST /workspaces/i-1/wake",
                        "PATCH /workspaces/i-1/hibernation {\"hibernation_idle_minutes\":0}",
                        "PATCH /workspaces/i-1/hibernation {\"hibernation_idle_minutes\":15}",
                        "PATCH /workspaces/i-1/hibernation {\"hibernation_idle_minutes\":null}");
        assertThat(screen.err())
                .contains("Lead sleeps after 30 idle minutes, as is said above it.", "Lead does not sleep by itself.");
        assertThat(run("idle", "Lead", "--json")).isZero();
        assertThat(screen.out()).contains("\"effective_idle_minutes\":30");
    }

    @Test
    void a_web_server_of_an_agent_is_opened_by_a_link_and_the_only_one_needs_no_port() {
        answers.put("GET /workspaces/i-1/preview", "{\"ports\":[3000],\"reason\":null}");
        answers.put("GET /workspaces/i-2/preview", "{\"ports\":[3000,5173],\"reason\":null}");
        answers.put("GET /workspaces/i-3/preview", "{\"ports\":[],\"reason\":\"The agent is not running.\"}");
        answers.put("POST /workspaces/i-1/preview", "{\"url\":\"http://3000--i-1.agents.localhost/x\"}");
        answers.put("POST /workspaces/i-2/preview", "{\"url\":\"http://5173--i-2.agents.localhost/y\"}");

        assertThat(run("open", "Lead", "--print")).isZero();
        assertThat(run("open", "i-2", "--port", "5173", "--print")).isZero();
        assertThat(run("open", "i-2", "--print")).isEqualTo(2);
        assertThat(run("open", "i-3", "--print")).isEqualTo(2);

        assertThat(asked)
                .containsExactly(
                        "POST /workspaces/i-1/preview {\"port\":3000}", "POST /workspaces/i-2/preview {\"port\":5173}");
        assertThat(screen.out()).contains("http://3000--i-1.agents.localhost/x", "http://5173--i-2.agents.localhost/y");
        assertThat(screen.err())
                .contains("i-2 listens at 3000, 5173. Choose one with --port.", "The agent is not running.");
    }

    @Test
    void house_rules_are_listed_added_changed_and_removed() {
        answers.put("GET /instructions", """
                [{"id":"r1-x","scope":"global","scope_target":null,"title":"Tone","content":"c","priority":3,"enabled":false},
                 {"id":"r2-x","scope":"team","scope_target":"i-1","title":"Money","content":"c","priority":0,"enabled":true}]""");
        answers.put("GET /workspaces/i-1/instructions/resolve", "{\"instructions\":\"# Tone\\nBe kind.\"}");
        answers.put("POST /instructions", "{\"id\":\"r3-x\"}");
        typed = "Be kind.\n".getBytes(StandardCharsets.UTF_8);

        assertThat(run("rule", "list")).isZero();
        assertThat(screen.out()).contains("Tone", "Money");
        assertThat(run("rule", "show", "Lead")).isZero();
        assertThat(screen.out()).contains("# Tone\nBe kind.");
        assertThat(run("rule", "add", "Kindness", "--team", "Lead", "--priority", "2"))
                .isZero();
        assertThat(run("rule", "add", "Kindness", "--team", "Lead", "--agent", "Lead"))
                .isEqualTo(2);
        assertThat(run("rule", "set", "r1", "--on")).isZero();
        assertThat(run("rule", "set", "Tone")).isEqualTo(2);
        assertThat(run("rule", "rm", "Money")).isZero();
        assertThat(run("rule", "rm", "r")).isEqualTo(2);

        assertThat(asked)
                .containsExactly(
                        "POST /instructions {\"scope\":\"team\",\"title\":\"Kindness\",\"priority\":2,\"scope_target\":\"i-1\",\"content\":\"Be kind.\"}",
                        "PUT /instructions/r1-x {\"enabled\":true}",
                        "DELETE /instructions/r2-x");
    }

    @Test
    void who_is_told_is_listed_added_tried_changed_and_removed_and_a_secret_is_no_argument() {
        answers.put("GET /notifications/targets", """
                [{"id":"t1-x","name":"Ann","who":"Ann","channel":"slack","waiting":2,"enabled":true,"last_error":"answered 500"}]""");
        answers.put("GET /notifications/telegram", "{\"bot\":null}");
        answers.put("POST /notifications/targets", "{\"id\":\"t2-x\"}");
        typed = "a-secret-of-some-length\n".getBytes(StandardCharsets.UTF_8);

        assertThat(run("target", "list")).isZero();
        assertThat(screen.out()).contains("answered 500");
        assertThat(run(
                        "target",
                        "add",
                        "Ben",
                        "webhook",
                        "--to",
                        "https://example.org/x",
                        "--secret",
                        "kinds=[\"approval\"]",
                        "quiet_from=22:00"))
                .isZero();
        assertThat(run("target", "set", "Ann", "enabled=false")).isZero();
        assertThat(run("target", "set", "Ann")).isEqualTo(2);
        assertThat(run("target", "test", "t1")).isZero();
        assertThat(run("target", "rm", "Ann")).isZero();
        assertThat(run("target", "rm", "Nobody")).isEqualTo(2);
        assertThat(run("target", "bot")).isZero();
        assertThat(run("target", "bot", "--set")).isZero();
        assertThat(run("target", "bot", "--remove")).isZero();

        assertThat(asked)
                .containsExactly(
                        "POST /notifications/targets {\"kinds\":[\"approval\"],\"quiet_from\":\"22:00\",\"name\":\"Ben\",\"who\":\"Ben\",\"channel\":\"webhook\",\"url\":\"https://example.org/x\",\"secret\":\"a-secret-of-some-length\"}",
                        "PATCH /notifications/targets/t1-x {\"enabled\":false}",
                        "POST /notifications/targets/t1-x/test",
                        "DELETE /notifications/targets/t1-x",
                        "PUT /notifications/telegram {\"secret\":\"a-secret-of-some-length\"}",
                        "DELETE /notifications/telegram");
        assertThat(screen.err()).contains("There is no bot; --set gives one.");
    }

    @Test
    void what_comes_in_is_listed_set_and_removed() {
        answers.put("GET /webhooks", """
                [{"type":"github","to":null,"title":"{{event}}","events":["issues"],"limit":2.5,"paused":true}]""");
        typed = "a-secret-of-some-length\n".getBytes(StandardCharsets.UTF_8);

        assertThat(run("webhook", "list")).isZero();
        assertThat(screen.out())
                .contains("github", "issues", "$2.5", "github is paused", "webhook set github --secret");
        assertThat(run("webhook", "set", "shop", "--to", "Lead", "--secret", "limit=3"))
                .isZero();
        assertThat(run("webhook", "rm", "shop")).isZero();
        assertThat(run("webhook", "set", "github", "--to", "Lead", "limit=3")).isZero();
        assertThat(run("webhook", "rm", "github/i-1")).isZero();

        assertThat(asked)
                .containsExactly(
                        "PUT /webhooks/shop {\"limit\":3,\"to\":\"i-1\",\"secret\":\"a-secret-of-some-length\"}",
                        "DELETE /webhooks/shop",
                        "PUT /webhooks/github/i-1 {\"limit\":3}",
                        "DELETE /webhooks/github/i-1");
        assertThat(screen.err()).contains("github may send to POST /webhooks/github/i-1.");
    }

    @Test
    void an_agent_is_created_under_another_moved_and_removed() {
        answers.put("POST /workspaces", "{\"id\":\"i-9\",\"status\":\"provisioning\"}");

        assertThat(run("create", "Scout", "--under", "Lead", "--template", "coder", "--tier", "2"))
                .isZero();
        assertThat(run("move", "i-2", "--root")).isZero();
        assertThat(run("move", "i-2", "--under", "Lead")).isZero();
        assertThat(run("move", "i-2")).isEqualTo(2);
        assertThat(run("rm", "i-3", "--branch")).isZero();

        assertThat(asked)
                .containsExactly(
                        "POST /workspaces {\"name\":\"Scout\",\"template\":\"coder\",\"tier\":2,\"parent_id\":\"i-1\"}",
                        "PATCH /workspaces/i-2 {\"parent_id\":null}",
                        "PATCH /workspaces/i-2 {\"parent_id\":\"i-1\"}",
                        "DELETE /workspaces/i-3?confirm=true&purge=false");
        assertThat(screen.out()).isEqualTo("i-9\n");
    }

    @Test
    void models_are_given_a_name_shown_by_it_and_lose_it() {
        answers.put(
                "GET /workspaces/i-3/model-aliases",
                "{\"aliases\":[{\"name\":\"fast\",\"models\":[\"groq:m\",\"openai:n\"],\"of\":\"i-1\"},{\"name\":\"best\",\"models\":[\"openai:o\"],\"of\":null}]}");

        assertThat(run("alias", "Lead", "fast", "groq:m", "openai:n")).isZero();
        assertThat(run("alias", "Lead", "fast", "--remove")).isZero();
        assertThat(run("alias", "Lead", "fast")).isEqualTo(2);
        assertThat(run("alias", "i-3")).isZero();

        assertThat(asked)
                .containsExactly(
                        "PUT /workspaces/i-1/model-aliases/fast {\"models\":[\"groq:m\",\"openai:n\"]}",
                        "DELETE /workspaces/i-1/model-aliases/fast");
        assertThat(screen.out().lines().map(line -> line.replaceAll(" +", " ")))
                .containsExactly("ALIAS MODELS OF", "fast groq:m, openai:n Lead", "best openai:o the operator");
    }

    @Test
    void whoever_leads_others_is_removed_only_when_it_is_said_that_these_go_too() {
        status = 409;
        answers.put(
                "DELETE /workspaces/i-1?confirm=false&purge=false",
                "{\"status\":\"confirmation_required\",\"children\":[{\"id\":\"i-2\",\"name\":\"Writer\"}],\"children_count\":1}");

        assertThat(run("rm", "Lead")).isEqualTo(2);

        assertThat(screen.err()).contains("Lead leads 1 others (Writer), who would go too; say --branch");
    }

    @Test
    void what_waits_is_listed_with_what_to_do_and_decided_by_the_first_letters_of_its_id() {
        answers.put("GET /inbox?limit=200", """
                {"rows":[{"id":"r0-x","kind":"failed","part":"fix","workspace_id":"i-1","workspace_name":"Lead","text":"no key","details":{"error":"no key"}},
                  {"id":"r1-x","kind":"approval","part":"decide","workspace_id":"i-2","workspace_name":"Writer","text":"send 34 letters",
                   "expires_at":"2026-12-01T00:00:00Z","details":{"approval_id":"a1b2-x","reason":"they are due","context":{"letters":34}}}],"next":7}""");
        answers.put("GET /inbox?limit=200&after=7", """
                {"rows":[{"id":"r2-x","kind":"question","part":"decide","workspace_id":"i-2","workspace_name":"The Writer","text":"which day?",
                  "details":{"task_id":"t-1","question":"which day?"}}],"next":null}""");

        assertThat(run("inbox")).isZero();
        assertThat(run("approve", "a1b")).isZero();
        assertThat(run("deny", "a1c3-x")).isZero();
        assertThat(run("approve", "a1")).isEqualTo(2);
        assertThat(run("approve", "zz")).isEqualTo(2);
        assertThat(run("inbox", "--dismiss", "r2")).isZero();

        assertThat(screen.out().lines())
                .containsExactly(
                        "a1b2      Writer asks: send 34 letters",
                        "          because: they are due",
                        "          with: {\"letters\":34}",
                        "          until 2026-12-01T00:00:00Z",
                        "          ./molecule approve a1b2, or ./molecule deny a1b2",
                        "r2        The Writer asks: which day?",
                        "          ./molecule say 'The Writer' --task t-1 YOUR ANSWER",
                        "r0        Lead failed: no key",
                        "          ./molecule logs Lead, then ./molecule restart Lead");
        assertThat(asked)
                .containsExactly(
                        "POST /workspaces/i-2/approvals/a1b2-x/decide {\"decision\":\"approved\",\"shown\":\"terminal\"}",
                        "POST /workspaces/i-1/approvals/a1c3-x/decide {\"decision\":\"denied\",\"shown\":\"terminal\"}",
                        "DELETE /inbox/r2-x");
        assertThat(screen.err())
                .contains("Several ids begin with a1", "Nothing that waits has an id that begins with zz");
    }

    @Test
    void what_the_inbox_showed_is_decided_and_nothing_else() {
        String digest = "6f71ab9fb4d9fdd98775809ff4382dd25ed0917d8a1d3d7f0e062f695a65490d";
        String details = "\"action\":\"deploy\",\"reason\":\"\",\"digest\":\"" + digest + "\"";
        answers.put("GET /inbox?limit=200", """
                {"rows":[{"id":"r1-x","kind":"approval","part":"decide","workspace_id":"i-2","workspace_name":"Writer","text":"deploy",
                   "details":{"approval_id":"d1-x",%s}}],"next":null}""".formatted(details));
        String waits = "[{\"id\":\"d1-x\",\"workspace_id\":\"i-2\",\"workspace_name\":\"Writer\",%s,\"context\":%s}]";
        answers.put("GET /approvals/pending?after=d1-x", "[]");
        answers.put("GET /approvals/pending", waits.formatted(details, "{\"env\":\"prod\"}"));

        assertThat(run("inbox")).isZero();
        assertThat(run("approve", "d1", "--digest", "6f71ab9fb4d9fdd9")).isEqualTo(2);
        assertThat(run("approve", "d1", "--digest", "6f71")).isEqualTo(2);
        assertThat(asked).isEmpty();
        assertThat(screen.err())
                .contains("This is not what has that digest", "--digest is 16 to 64 hexadecimal digits");
        answers.put("GET /approvals/pending", waits.formatted(details, "null"));
        assertThat(run("approve", "d1", "--digest", "6f71ab9fb4d9fdd9")).isZero();

        assertThat(screen.out()).contains("./molecule approve d1 --digest 6f71ab9fb4d9fdd9, or ./molecule deny d1");
        assertThat(asked)
                .containsExactly(
                        "POST /workspaces/i-2/approvals/d1-x/decide {\"decision\":\"approved\",\"shown\":\"terminal\",\"digest\":\"%s\"}"
                                .formatted(digest));
    }

    @Test
    void the_inbox_offers_no_decision_to_who_is_not_named_by_the_rule() {
        String row = """
                {"id":"r%1$s","kind":"approval","part":"decide","workspace_id":"i-2","workspace_name":"Writer","text":"pay",
                 "details":{"approval_id":"a%1$s-x","action":"pay","deciders":{"rule":"pay","people":["%2$s"],"approved_by":["%3$s"],"waits":"waits for lee"}}}""";
        answers.put(
                "GET /inbox?limit=200",
                "{\"rows\":[%s,%s,%s],\"next\":null}"
                        .formatted(
                                row.formatted(1, "lee", ""),
                                row.formatted(2, "kim", "kim"),
                                row.formatted(3, "kim", "")));
        answers.put("GET /people/me", "{\"login\":\"kim\",\"roles\":[{\"role\":\"operator\"}]}");

        assertThat(run("inbox")).isZero();

        assertThat(screen.out().lines().filter(line -> !line.contains("asks:")))
                .containsExactly(
                        "          waits for lee",
                        "          You do not decide this: approval rule pay names others.",
                        "          waits for lee",
                        "          You approved this. To deny it: ./molecule deny a2",
                        "          waits for lee",
                        "          ./molecule approve a3, or ./molecule deny a3");
    }

    @Test
    void what_is_decided_is_what_is_shown_whatever_digest_the_platform_names() {
        answers.put("GET /approvals/pending?after=d1-x", "[]");
        answers.put("GET /approvals/pending", """
                [{"id":"d1-x","workspace_id":"i-2","workspace_name":"Writer","action":"deploy","reason":"","context":null,"digest":"%s"}]""".formatted("0".repeat(64)));
        status = 409;
        answers.put(
                "POST /workspaces/i-2/approvals/d1-x/decide", "{\"error\":\"this approval is not what was shown\"}");

        assertThat(run("approve", "d1")).isNotZero();

        assertThat(asked.getFirst()).contains("6f71ab9fb4d9fdd98775809ff4382dd25ed0917d8a1d3d7f0e062f695a65490d");
        assertThat(screen.err()).contains("Nothing was decided", "this approval is not what was shown");
    }

    @Test
    void the_inbox_shows_all_of_an_approval_that_is_cut_there_and_writes_out_what_deceives() {
        answers.put("GET /inbox?limit=200", """
                {"rows":[{"id":"r1-x","kind":"approval","part":"decide","workspace_id":"i-2","workspace_name":"Wr\u0456ter","text":"run",
                   "details":{"approval_id":"a1b2-x","action":"send 34 letters","context_left_out":true}},
                  {"id":"r2-x","kind":"approval","part":"decide","workspace_id":"i-2","workspace_name":"Writer","text":"gone",
                   "details":{"approval_id":"zz-x","action":"rm \u202Etxt.exe","context_left_out":true}}],"next":null}""");

        assertThat(run("inbox")).isZero();

        assertThat(screen.out().lines())
                .containsExactly(
                        "a1b2      Wr\u27E8U+0456\u27E9ter asks: send 34 letters",
                        "          because: they are due",
                        "          with: {\"letters\":34}",
                        "          ./molecule approve a1b2, or ./molecule deny a1b2",
                        "zz        Writer asks: rm \u27E8U+202E\u27E9txt.exe",
                        "          this is not all of it: read and decide it on the page, or ./molecule deny zz");
    }

    @Test
    void usage_names_agents_and_never_calls_unknown_costs_nothing() {
        answers.put("GET /usage?by=agent", """
                {"by":"agent","rows":[
                  {"key":"i-1","calls":3,"tokens_in":10,"tokens_out":5,"cost_micros":1234567,"unpriced_calls":1},
                  {"key":"i-2","calls":1,"tokens_in":10,"tokens_out":5,"cost_micros":null,"unpriced_calls":1}]}""");

        assertThat(run("usage")).isZero();
        assertThat(run("usage", "--json")).isZero();

        assertThat(screen.out()).contains("Lead", "$1.23 + ?", "unknown", "\"unpriced_calls\":1");
    }

    @Test
    void usage_names_teams_counts_all_that_was_read_and_what_belongs_to_nobody() {
        answers.put(
                "GET /usage?by=team",
                "{\"rows\":[{\"key\":\"i-1\",\"calls\":1,\"tokens_in\":10,\"cache_write\":7,\"cache_read\":90,\"tokens_out\":5,\"cost_micros\":5000}]}");
        answers.put("GET /usage?by=delegation", "{\"rows\":[{\"key\":null,\"calls\":1,\"cost_micros\":5000}]}");

        assertThat(run("usage", "--by", "team")).isZero();
        assertThat(run("usage", "--by", "delegation")).isZero();

        assertThat(screen.out().lines().map(line -> line.strip().replaceAll(" +", " ")))
                .containsExactly(
                        "TEAM CALLS TOKENS IN CACHED TOKENS OUT COST",
                        "Lead 1 17 90 5 $0.0050",
                        "DELEGATION CALLS TOKENS IN CACHED TOKENS OUT COST",
                        "- 1 0 0 0 $0.0050");
    }

    @Test
    void what_runs_and_days_may_cost_is_shown_and_changed() {
        answers.put("GET /settings/spending", "{\"run_limit\":5,\"day_cap\":null}");
        answers.put("PUT /settings/spending", "{\"run_limit\":null,\"day_cap\":20.5}");
        answers.put("PATCH /work/w-1", "{\"limit\":7}");

        assertThat(run("budget")).isZero();
        assertThat(run("budget", "--run-limit", "none", "--day-cap", "$20.50")).isZero();
        assertThat(run("budget", "--run", "w-1", "--limit", "7")).isZero();
        assertThat(run("budget", "--run", "w-1")).isEqualTo(2);
        assertThat(run("budget", "--day-cap", "much")).isEqualTo(2);

        assertThat(asked)
                .containsExactly(
                        "PUT /settings/spending {\"run_limit\":null,\"day_cap\":20.50}",
                        "PATCH /work/w-1 {\"limit\":7}");
        assertThat(screen.out())
                .contains(
                        "Each run may cost $5.00, all agents together any amount in a day (UTC).",
                        "Each run may cost any amount, all agents together $20.50 in a day (UTC).",
                        "This run may cost $7.00.");
    }

    @Test
    void prices_of_models_are_listed_set_and_removed() {
        answers.put(
                "GET /settings/prices",
                "{\"prices\":[{\"model\":\"far:old\",\"in\":1,\"out\":4.5,\"dated\":\"2026-11-01\"}],\"missing\":[\"far:new\"],"
                        + "\"list\":{\"dated\":\"2026-11-26\",\"source\":\"shipped\",\"taken_at\":null,"
                        + "\"renewal\":{\"source\":\"https://example.org/p.json\",\"tried_at\":\"2026-12-01T00:00:00Z\",\"failure\":\"its server answered 404\"}}}");
        answers.put("PUT /settings/prices", "{}");
        answers.put("DELETE /settings/prices?model=far%3Aold", "{}");

        assertThat(run("price")).isZero();
        assertThat(run("price", "far:new", "--in", "2.5", "--out", "10")).isZero();
        assertThat(run("price", "far:old", "--remove")).isZero();
        assertThat(run("price", "far:new", "--in", "2.5")).isEqualTo(2);
        assertThat(run("price", "far:new")).isEqualTo(2);

        assertThat(asked)
                .containsExactly(
                        "PUT /settings/prices {\"model\":\"far:new\",\"in\":2.5,\"out\":10}",
                        "DELETE /settings/prices?model=far%3Aold");
        assertThat(screen.out()).contains("far:old", "4.5", "2026-11-01", "far:new", "unknown");
        assertThat(screen.err())
                .contains(
                        "Price list of 2026-11-26, which came with this version.",
                        "https://example.org/p.json was not taken at 2026-12-01T00:00:00Z: its server answered 404.");
    }

    @Test
    void a_model_is_shown_and_changed() {
        answers.put("GET /workspaces/i-1/model", "{\"model\":\"openai:x\",\"source\":\"own\"}");

        assertThat(run("model", "Lead")).isZero();
        assertThat(run("model", "Lead", "openai:y")).isZero();

        assertThat(screen.out()).isEqualTo("openai:x\n");
        assertThat(asked).containsExactly("PUT /workspaces/i-1/model {\"model\":\"openai:y\"}");
    }

    @Test
    void of_who_has_no_model_and_of_one_minute_there_is_a_sentence() {
        answers.put("GET /workspaces/i-1/model", "{\"model\":\"\",\"source\":\"\"}");
        answers.put("GET /workspaces/i-1/hibernation", "{\"hibernation_idle_minutes\":1,\"effective_idle_minutes\":1}");

        assertThat(run("model", "Lead")).isZero();
        assertThat(run("idle", "Lead")).isZero();

        assertThat(screen.out()).isEmpty();
        assertThat(screen.err()).contains("Nobody chose a model for Lead.", "Lead sleeps after 1 idle minute.");
    }

    @Test
    void secrets_are_read_from_standard_input_and_belong_to_everybody_or_one_agent() {
        answers.put(
                "GET /settings/secrets",
                "[{\"key\":\"A_KEY\",\"scope\":\"global\",\"updated_at\":\"2026-01-02T03:04:05Z\",\"grants\":[\"i-1\"]},"
                        + "{\"key\":\"B_KEY\",\"scope\":\"global\",\"updated_at\":\"2026-01-02T03:04:05Z\",\"store\":\"vault\","
                        + "\"last_read_at\":\"2026-01-03T03:04:05Z\",\"last_read_by\":\"i-1\",\"outdated\":[\"i-1\",\"i-9\"]}]");
        typed = "hush\n".getBytes(StandardCharsets.UTF_8);

        assertThat(run("secret", "set", "A_KEY", "--only", "Lead")).isZero();
        assertThat(run("secret", "set", "A_KEY", "--agent", "i-2")).isZero();
        assertThat(run("secret", "set", "A_KEY", "--agent", "i-2", "--only", "Lead"))
                .isEqualTo(2);
        assertThat(run("secret", "set", "B_KEY", "--reference", "vault:secret/data/b#key"))
                .isZero();
        assertThat(run("secret", "rm", "A_KEY")).isZero();
        assertThat(run("secret", "rm", "A_KEY", "--agent", "Lead")).isZero();
        answers.put("POST /admin/secrets/rotate", "{\"key_id\":\"k2\",\"rotated\":7}");
        assertThat(run("secrets", "rotate")).isZero();
        assertThat(run("secret", "list")).isZero();
        typed = new byte[] {};
        assertThat(run("secret", "set", "A_KEY")).isEqualTo(2);

        assertThat(asked)
                .containsExactly(
                        "PUT /settings/secrets {\"key\":\"A_KEY\",\"value\":\"hush\",\"grants\":[\"i-1\"]}",
                        "PUT /workspaces/i-2/secrets {\"key\":\"A_KEY\",\"value\":\"hush\"}",
                        "PUT /settings/secrets {\"key\":\"B_KEY\",\"reference\":\"vault:secret/data/b#key\"}",
                        "DELETE /settings/secrets/A_KEY",
                        "DELETE /workspaces/i-1/secrets/A_KEY",
                        "POST /admin/secrets/rotate");
        assertThat(screen.out().lines())
                .containsExactly(
                        "SECRET  OF                        VALUE        SET               LAST USED",
                        "A_KEY   1 agents and those below  stored here  2026-01-02 03:04  -",
                        "B_KEY   everybody                 vault        2026-01-02 03:04  2026-01-03 03:04 by Lead");
        assertThat(screen.err())
                .contains(
                        "Nothing was given",
                        "B_KEY: Lead, i-9 still have an older value. Restart to use the new value",
                        "7 secrets are sealed with the key k2 now.")
                .doesNotContain("hush");
    }

    @Test
    void tokens_are_made_listed_and_revoked_by_how_they_begin() {
        answers.put("POST /org/tokens", "{\"id\":\"k-1\",\"auth_token\":\"secret-1\"}");
        answers.put(
                "GET /workspaces/i-1/tokens?limit=200",
                "{\"tokens\":[{\"id\":\"k-1\",\"prefix\":\"abcd\"},{\"id\":\"k-2\",\"prefix\":\"abxy\"}],\"count\":2}");

        assertThat(run("token", "create", "--org", "--name", "ci")).isZero();
        assertThat(run("token", "create", "--agent", "Lead", "--expires", "1h")).isZero();
        assertThat(run("token", "create")).isEqualTo(2);
        assertThat(run("token", "list", "--agent", "Lead")).isZero();
        assertThat(run("token", "rm", "--agent", "Lead", "ab")).isEqualTo(2);
        assertThat(run("token", "rm", "--agent", "Lead", "abxy-and-the-rest-of-it"))
                .isZero();

        assertThat(asked)
                .containsExactly(
                        "POST /org/tokens {\"name\":\"ci\"}",
                        "POST /workspaces/i-1/tokens {\"expires_in_seconds\":3600}",
                        "DELETE /workspaces/i-1/tokens/k-2");
        assertThat(screen.out()).contains("secret-1\n", "abcd…");
    }

    @Test
    void files_are_listed_read_written_and_removed_by_the_paths_that_the_agent_knows(@TempDir Path temp)
            throws IOException {
        answers.put(
                "GET /workspaces/i-1/files?root=%2Fworkspace&path=a+b&depth=1",
                "[{\"path\":\"drafts\",\"size\":0,\"dir\":true},{\"path\":\"x.md\",\"size\":12,\"dir\":false}]");
        answers.put("GET /workspaces/i-1/chat/download?path=%2Fworkspace%2Fx.md", "text\r\n\u001b");
        var mine = Files.writeString(temp.resolve("n.md"), "mine");
        var saved = temp.resolve("saved");

        assertThat(run("files", "ls", "Lead", "/workspace/a b")).isZero();
        assertThat(run("files", "get", "Lead", "/workspace/x.md")).isZero();
        assertThat(run("files", "get", "Lead", "/workspace/x.md", saved.toString()))
                .isZero();
        assertThat(run("files", "put", "Lead", mine.toString(), "/configs/a b/"))
                .isZero();
        assertThat(run("files", "rm", "Lead", "/workspace/drafts")).isZero();
        assertThat(run("files", "rm", "Lead", "/etc/passwd")).isEqualTo(2);
        assertThat(run("files", "put", "Lead", temp.resolve("none").toString(), "/configs/a"))
                .isEqualTo(2);

        assertThat(screen.out()).isEqualTo("BYTES  FILE\n-      drafts/\n12     x.md\ntext\r\n\u001b");
        assertThat(saved).hasContent("text\r\n\u001b");
        assertThat(temp.toFile().list()).containsExactlyInAnyOrder("n.md", "saved");
        assertThat(asked)
                .containsExactly(
                        "PUT /workspaces/i-1/files/a%20b/n.md?root=%2Fconfigs {\"content\":\"mine\"}",
                        "DELETE /workspaces/i-1/files/drafts?root=%2Fworkspace");
    }

    @Test
    void a_config_is_shown_and_changed_member_by_member() {
        answers.put("GET /workspaces/i-1/config", "{\"data\":{\"pace\":3,\"tone\":\"dry\"}}");

        assertThat(run("config", "Lead")).isZero();
        assertThat(run("config", "Lead", "pace=4", "tone=very dry", "old=null")).isZero();
        assertThat(run("config", "Lead", "pace")).isEqualTo(2);

        assertThat(screen.out()).isEqualTo("pace=3\ntone=dry\n");
        assertThat(asked)
                .containsExactly("PATCH /workspaces/i-1/config {\"pace\":4,\"tone\":\"very dry\",\"old\":null}");
    }

    @Test
    void work_is_handed_on_waited_for_and_listed() {
        answers.put("POST /workspaces/i-1/delegate", "{\"delegation_id\":\"d-1\",\"status\":\"delegated\"}");
        answers.put(
                "GET /workspaces/i-1/delegations",
                "[{\"delegation_id\":\"d-1\",\"target_id\":\"i-2\",\"status\":\"completed\",\"response_preview\":\"done it\",\"created_at\":\"2026-01-02T03:04:05Z\"},"
                        + "{\"delegation_id\":\"d-1\",\"target_id\":\"i-2\",\"status\":\"dispatched\",\"summary\":\"count\",\"created_at\":\"2026-01-02T03:04:01Z\"}]");

        assertThat(run("delegate", "Lead", "i-2", "count", "the", "words", "--limit", "1.5"))
                .isZero();
        assertThat(run("delegate", "Lead", "i-2", "count", "--wait")).isZero();
        assertThat(run("delegate", "Lead")).isZero();
        assertThat(run("delegate", "Lead", "i-2")).isEqualTo(2);

        assertThat(screen.out().lines())
                .containsExactly(
                        "d-1",
                        "done it",
                        "WHEN              TO      STATUS      WHAT",
                        "2026-01-02 03:04  Writer  completed   done it",
                        "2026-01-02 03:04  Writer  dispatched  count");
        assertThat(asked)
                .containsExactly(
                        "POST /workspaces/i-1/delegate {\"target_id\":\"i-2\",\"task\":\"count the words\",\"limit\":1.5}",
                        "POST /workspaces/i-1/delegate {\"target_id\":\"i-2\",\"task\":\"count\"}");
    }

    @Test
    void an_agent_is_exported_as_a_whole_or_not_at_all(@TempDir Path temp) throws IOException {
        answers.put("GET /bundles/export/i-1", "{\"schema\":\"1.0\"}");
        var file = temp.resolve("team.json");

        assertThat(run("export", "Lead", file.toString())).isZero();
        assertThat(run("export", "Lead")).isZero();
        assertThat(run("export", "Leda", file.toString())).isEqualTo(2);

        assertThat(file).hasContent("{\"schema\":\"1.0\"}");
        assertThat(screen.out()).isEqualTo("{\"schema\":\"1.0\"}\n");
        assertThat(screen.err()).contains("did you mean Lead?");
        assertThat(temp.toFile().list()).containsExactly("team.json");
    }
}
