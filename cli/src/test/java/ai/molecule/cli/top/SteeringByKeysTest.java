package ai.molecule.cli.top;

import static ai.molecule.cli.top.KnowingAnOrganisationTest.agent;
import static ai.molecule.cli.top.KnowingAnOrganisationTest.list;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.cli.approvals.Decider;
import ai.molecule.cli.top.Key.Kind;
import ai.molecule.common.auth.Role;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What keys do to what is seen, and what they want done; and how it looks, as text. */
class SteeringByKeysTest {

    private final Dashboard seen =
            new Dashboard("http://127.0.0.1:8080", () -> Instant.parse("2026-11-27T12:00:00Z"), ZoneOffset.UTC);
    private final Drawing view = new Drawing(seen, ZoneOffset.UTC);

    @BeforeEach
    void fill() {
        seen.agents(list(
                agent("a", "Lead", null).put("monthly_spend", 124).put("budget_limit", 150),
                agent("b", "Writer", "a")
                        .put("current_task", "write 34 letters")
                        .put("active_tasks", 1),
                agent("c", "Mailer", "a").put("status", "failed").put("last_sample_error", "no such image")));
        seen.inbox(new JsonObject("""
                {"rows":[{"id":"n1","kind":"failed","part":"fix","workspace_id":"c","text":"no such image","details":{}},
                         {"id":"n2","kind":"approval","part":"decide","workspace_id":"b","text":"send 34 letters",
                          "details":{"approval_id":"p1","reason":"they are due"}}],
                 "waiting":{"decide":1,"fix":1}}"""));
        seen.liveness(new JsonObject("""
                {"services":{"registry":{"answered":true,"replica":"here/1"},"proxy":{"answered":false}},
                 "subsystems":{"registry.liveness":{"ok":true,"says":"looked at 3","seconds_ago":1},
                               "events.sequencer":{"ok":false,"says":"waits for PostgreSQL","seconds_ago":12}}}"""));
        seen.isLive();
    }

    @Test
    void everything_is_seen_on_a_small_screen_a_part_at_a_time() {
        seen.hear("2026-11-27T11:59:00Z", "TASK_STARTED", "b", JsonObject.of("preview", "write 34 letters"), "");

        var lines = text(80, 24);

        assertThat(lines)
                .hasSize(24)
                .allSatisfy(line -> assertThat(TextLine.width(line)).isEqualTo(80));
        assertThat(lines.getFirst())
                .contains("127.0.0.1:8080", "3 agents  1 at work  1 broken  $1.24  2 for you  live");
        assertThat(lines.get(3)).startsWith("Lead").contains("online", "0/1", "$1.24");
        assertThat(lines.get(4)).startsWith("├ Writer").contains("write 34 letters", "1/1");
        assertThat(lines.get(5)).startsWith("└ Mailer").contains("failed", "no such image");
        assertThat(String.join("\n", lines)).contains("events, following", "11:59:00  task started         Writer");

        press("4");
        assertThat(String.join("\n", text(80, 24)))
                .contains("waits for you, 2", "approval        Writer  send 34 letters  because they are due");
        press("5");
        assertThat(String.join("\n", text(80, 24)))
                .contains("health, 2 not well", "bad  proxy", "does not answer", "12 s ago, waits for PostgreSQL");
    }

    @Test
    void a_large_screen_shows_all_parts_at_once() {
        var lines = text(200, 50);

        assertThat(lines)
                .hasSize(50)
                .allSatisfy(line -> assertThat(TextLine.width(line)).isEqualTo(200));
        assertThat(String.join("\n", lines)).contains("agents", "events", "waits for you", "health", "agent, Lead");
    }

    @Test
    void every_size_is_filled_and_never_overflows() {
        fillsEverySize();
        press("d");
        fillsEverySize();
        press("n");
        press("?");
        fillsEverySize();
        seen.agents(new JsonArray());
        fillsEverySize();
    }

    private void fillsEverySize() {
        for (int columns : List.of(1, 30, 60, 79, 80, 119, 120, 121, 400)) {
            for (int rows : List.of(1, 5, 12, 24, 29, 30, 100)) {
                assertThat(view.draw(columns, rows))
                        .hasSize(rows)
                        .allSatisfy(line -> assertThat(line.width()).isEqualTo(columns));
            }
        }
    }

    @Test
    void keys_pause_resume_and_restart_who_is_chosen() {
        press(Kind.DOWN);

        assertThat(press("p")).contains(new Wish.Change("pause", "b", "Writer"));
        assertThat(press("r")).contains(new Wish.Change("resume", "b", "Writer"));
        assertThat(press("R")).contains(new Wish.Change("restart", "b", "Writer"));
    }

    @Test
    void deleting_asks_says_who_goes_too_and_only_y_does_it() {
        assertThat(press("d")).isEmpty();
        assertThat(text(80, 24).get(22)).contains("Delete Lead and the 2 below it?");
        assertThat(press("n")).isEmpty();

        press("d");
        assertThat(press(new Key(Kind.PASTED, 'y'))).isEmpty();
        assertThat(press("y")).contains(new Wish.Remove("a", "Lead", true));

        press(Kind.DOWN);
        press("d");
        assertThat(text(80, 24).get(22)).contains("Delete Writer?");
        assertThat(press("y")).contains(new Wish.Remove("b", "Writer", false));
    }

    @Test
    void what_an_agent_asks_is_approved_and_denied_from_either_list() {
        press(Kind.DOWN);
        press("a");
        assertThat(text(80, 24).get(22)).contains("Approve what Writer asks: send 34 letters, because they are due");
        assertThat(press("y"))
                .hasValueSatisfying(wish -> assertThat(wish).isInstanceOfSatisfying(Wish.Decide.class, decide -> {
                    assertThat(decide.decision()).isEqualTo("approved");
                    assertThat(decide.need().approval()).isEqualTo("p1");
                }));

        press("4");
        press("x");
        assertThat(press("y"))
                .hasValueSatisfying(
                        wish -> assertThat(((Wish.Decide) wish).decision()).isEqualTo("denied"));

        press(Kind.DOWN);
        assertThat(press("a")).isEmpty();
        assertThat(text(80, 24).getLast()).contains("nothing to approve or deny");
    }

    @Test
    void what_is_to_be_decided_is_read_whole() {
        String action = "send letters to " + "everybody and ".repeat(20) + "nobody else";
        seen.inbox(new JsonObject()
                .put(
                        "rows",
                        JsonArray.of(JsonObject.of(
                                "id",
                                "n",
                                "kind",
                                "approval",
                                "part",
                                "decide",
                                "workspace_id",
                                "b",
                                "text",
                                action,
                                "details",
                                JsonObject.of("approval_id", "p")))));
        press("4");
        press("a");

        var lines = text(80, 24);
        assertThat(lines).hasSize(24);
        assertThat(String.join(" ", lines).replaceAll("\\s+", " ")).contains(action + " y: yes any other key: no");
    }

    @Test
    void an_approval_shows_every_argument_even_where_lines_break_in_words() {
        asks("run ./check --dry-run", JsonObject.of("note", "./check --dry-run", "command", "id > " + "x".repeat(150)));
        press("4");
        press("a");

        assertThat(String.join("", text(60, 12)).replaceAll("\\s+", ""))
                .contains("\"note\":\"./check--dry-run\",\"command\":\"id>" + "x".repeat(150) + "\"}");
    }

    @Test
    void what_is_too_long_to_be_shown_whole_is_not_approved_here() {
        asks("write plan.txt", JsonObject.of("path", "plan.txt", "content", "x".repeat(5_000)));
        press("4");
        press("a");

        assertThat(String.join(" ", text(160, 40)))
                .contains("./molecule inbox shows it whole")
                .doesNotContain("y: yes");
        press("x");
        assertThat(String.join(" ", text(160, 40))).contains("Deny what", "y: yes");
    }

    @Test
    void what_the_inbox_does_not_hold_whole_is_not_approved_here() {
        asks("run ./check", JsonObject.of("approval_id", "p", "context_left_out", true), new JsonObject());
        press("4");
        press("a");

        assertThat(String.join(" ", text(160, 40)))
                .contains("./molecule inbox shows it whole")
                .doesNotContain("y: yes");
    }

    @Test
    void what_shows_nothing_or_passes_for_another_letter_is_written_out_and_the_decision_is_on_that() {
        String digest = "6f71ab9fb4d9fdd98775809ff4382dd25ed0917d8a1d3d7f0e062f695a65490d";
        asks("deploy", JsonObject.of("approval_id", "p", "action", "deploy", "digest", digest), new JsonObject());
        press("4");
        press("a");
        var decides = press("y");
        asks("run", JsonObject.of("note", "rm \u202Etxt.exe p\u0430ypal"));
        press("4");
        press("a");

        assertThat(decides)
                .hasValueSatisfying(wish -> assertThat(((Wish.Decide) wish)
                                .need()
                                .asked()
                                .orElseThrow()
                                .digest())
                        .isEqualTo(digest));
        assertThat(String.join("", text(160, 40))).contains("rm \u27E8U+202E\u27E9txt.exe p\u27E8U+0430\u27E9ypal");
    }

    @Test
    void who_does_not_decide_by_the_rule_is_told_who_does_and_asked_nothing() {
        var deciders = JsonObject.of(
                "rule",
                "pay",
                "people",
                JsonArray.of("kim", "lee"),
                "askers",
                JsonArray.of("max"),
                "approved_by",
                JsonArray.of("kim"),
                "waits",
                "1 of 2 approved, waits for lee");
        asks("pay", JsonObject.of("approval_id", "p", "deciders", deciders), new JsonObject());
        press("4");

        seen.decidesAs(new Decider(true, "nina", Role.OWNER));
        press("x");
        assertThat(String.join(" ", text(160, 40)))
                .contains("approval rule pay names others. Status: 1 of 2 approved, waits for lee.")
                .doesNotContain("y: yes");
        seen.decidesAs(new Decider(true, "max", null));
        press("a");
        assertThat(String.join(" ", text(160, 40)))
                .contains("you asked for it, or may have")
                .doesNotContain("y: yes");
        seen.decidesAs(new Decider(true, "kim", null));
        press("a");
        assertThat(String.join(" ", text(160, 40)))
                .contains("You approved this already.")
                .doesNotContain("y: yes");
        press("x");
        assertThat(String.join(" ", text(160, 40))).contains("y: yes");
    }

    private void asks(String action, JsonObject context) {
        asks(action, JsonObject.of("approval_id", "p"), context);
    }

    private void asks(String action, JsonObject details, JsonObject context) {
        seen.inbox(JsonObject.of(
                "rows",
                JsonArray.of(new JsonObject()
                        .put("id", "n")
                        .put("kind", "approval")
                        .put("part", "decide")
                        .put("workspace_id", "b")
                        .put("text", action)
                        .put("details", context.isEmpty() ? details : details.put("context", context)))));
    }

    @Test
    void who_is_talked_to_gets_what_is_typed_and_pasted() {
        press("t");
        typeAll("helo");
        press(Kind.BACKSPACE);
        press(new Key(Kind.PASTED, 'l'));
        typeAll("o");
        assertThat(text(80, 24).getLast()).contains("To Lead: hello");

        assertThat(press(Kind.ENTER)).contains(new Wish.Say("a", "Lead", "hello"));
        press("t");
        assertThat(press(Kind.ENTER)).isEmpty();
        assertThat(press(Kind.ESCAPE)).isEmpty();
    }

    @Test
    void agents_are_filtered_and_events_searched_as_is_typed() {
        press("/");
        typeAll("mail");
        assertThat(String.join("\n", text(80, 24)))
                .contains("agents, with mail: 1")
                .doesNotContain("Writer");
        assertThat(seen.chosen()).isEqualTo("c");
        press(Kind.ESCAPE);

        seen.hear("", "WORKSPACE_PAUSED", "b", new JsonObject(), "");
        seen.hear("", "WORKSPACE_ONLINE", "c", new JsonObject(), "");
        press("2");
        press("/");
        typeAll("writ");
        press(Kind.ENTER);
        assertThat(seen.events())
                .singleElement()
                .satisfies(event -> assertThat(event.what()).isEqualTo("paused"));
    }

    @Test
    void who_reads_older_events_goes_on_reading_them_until_f() {
        for (int n = 0; n < 100; n++) {
            event(n);
        }
        press("2");
        press(Kind.PAGE_UP);
        var before = text(80, 24).subList(13, 22);
        event(100);
        assertThat(text(80, 24).subList(13, 22)).isEqualTo(before);
        assertThat(String.join("\n", text(80, 24))).contains("11 newer below");

        press("f");
        assertThat(String.join("\n", text(80, 24))).contains("following", "word 100");
    }

    @Test
    void a_platform_that_is_away_is_told_since_when_and_told_when_it_is_back() {
        seen.isLost("nothing listens there");
        seen.isLost("nothing listens there");
        assertThat(text(80, 24).getFirst()).contains("not live since 12:00:00");

        seen.isLive();
        assertThat(text(80, 24).getFirst()).contains(" live ");
        assertThat(seen.events()).extracting(Happenings.Happening::what).containsExactly("not live", "live again");
    }

    @Test
    void one_agent_is_seen_with_what_it_does_said_and_handed_on() {
        seen.hear("", "A2A_RESPONSE", "a", new JsonObject(), "The year is planned.");
        seen.particulars(Particulars.of("a", new JsonArray("""
                        [{"created_at":"2026-11-27T11:00:00Z","activity_type":"a2a_receive","source_id":null,"target_id":"a","summary":"plan","status":"ok"}]"""), new JsonArray("""
                        [{"created_at":"2026-11-27T11:01:00Z","target_id":"c","status":"failed","error":"no such agent"}]""")));
        press(Kind.ENTER);

        assertThat(String.join("\n", text(80, 24)))
                .contains(
                        "agent, Lead",
                        "$1.24 of $1.50 this month",
                        "last said  The year is planned.",
                        "handed on  11:01:00  failed Mailer no such agent",
                        "did        11:00:00  a2a receive plan");
    }

    @Test
    void nothing_that_others_wrote_commands_the_terminal_or_breaks_a_line() {
        String evil = "\u001b[2J\u009b31m\r\n\u202eevil\u0007";
        seen.agents(list(agent("a", evil, null).put("current_task", evil).put("status", evil)));
        seen.hear("", evil, "a", JsonObject.of("message", evil), evil);
        seen.isLost(evil);
        seen.tell(evil, true);

        for (String part : List.of("1", "2", "3", "4", "5")) {
            for (String line : text(80, 24)) {
                assertThat(line).doesNotContainPattern("[\\p{Cc}\u202e]");
            }
            press(part);
            seen.tell(evil, true);
        }
    }

    @Test
    void of_many_events_the_newest_are_kept() {
        for (int n = 0; n < Happenings.KEPT_MAX + 10; n++) {
            event(n);
        }

        assertThat(seen.events()).hasSize(Happenings.KEPT_MAX);
        assertThat(seen.events().getLast().words()).isEqualTo("word " + (Happenings.KEPT_MAX + 9));
    }

    @Test
    void who_is_deleted_leaves_the_keys_to_a_neighbour_and_nobody_to_nobody() {
        press(Kind.END);
        assertThat(seen.chosen()).isEqualTo("c");
        seen.hear("", "WORKSPACE_REMOVED", "c", new JsonObject(), "");
        assertThat(seen.chosen()).isEqualTo("b");

        seen.agents(new JsonArray());
        assertThat(seen.chosen()).isEmpty();
        assertThat(press("p")).isEmpty();
        assertThat(text(80, 24).getLast()).contains("There is no agent.");
        assertThat(press("q")).contains(new Wish.Leave());
    }

    private void event(int n) {
        seen.hear("2026-11-27T11:00:00Z", "ACTIVITY_LOGGED", "a", JsonObject.of("summary", "word " + n), "");
    }

    private List<String> text(int columns, int rows) {
        return view.draw(columns, rows).stream().map(TextLine::text).toList();
    }

    private void typeAll(String words) {
        words.codePoints().forEach(each -> press(Key.typed(each)));
    }

    private Optional<Wish> press(String letter) {
        return press(Key.typed(letter.codePointAt(0)));
    }

    private Optional<Wish> press(Kind kind) {
        return press(Key.of(kind));
    }

    private Optional<Wish> press(Key key) {
        return seen.press(key);
    }
}
