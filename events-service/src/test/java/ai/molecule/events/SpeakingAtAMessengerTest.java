package ai.molecule.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Role;
import ai.molecule.common.auth.Tokens;
import ai.molecule.common.bus.proxy.AskForWork;
import ai.molecule.common.bus.proxy.WorkAnswers;
import ai.molecule.common.bus.registry.DecideApproval;
import ai.molecule.common.bus.registry.KeepSecret;
import ai.molecule.common.bus.registry.KeptSecret;
import ai.molecule.common.bus.registry.LinkChat;
import ai.molecule.common.events.EventLog;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.junit5.VertxExtension;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** People at Telegram: linked by a code they ask agents, hear answers, and decide; strangers hear nothing. */
@ExtendWith(VertxExtension.class)
class SpeakingAtAMessengerTest {

    private static final long KIM = 4711;
    private static final long STRANGER = 13;
    private static final String DIGEST = "6f71ab9fb4d9fdd98775809ff4382dd25ed0917d8a1d3d7f0e062f695a65490d";

    private final Map<String, String> kept = new ConcurrentHashMap<>();
    private final Map<UUID, AskForWork> asked = new ConcurrentHashMap<>();
    private final List<AskForWork> askedEver = new CopyOnWriteArrayList<>();
    private final Map<UUID, String> answers = new ConcurrentHashMap<>();
    private volatile boolean changed;
    private volatile @Nullable ApiError refusal;
    private volatile @Nullable String waits;
    private final List<DecideApproval> decided = new CopyOnWriteArrayList<>();
    private volatile boolean away;

    @SuppressWarnings("NullAway.Init")
    private EventsFixture service;

    @SuppressWarnings("NullAway.Init")
    private FakeTelegram telegram;

    @SuppressWarnings("NullAway.Init")
    private UUID writer;

    @SuppressWarnings("NullAway.Init")
    private String token;

    @BeforeEach
    void start(Vertx vertx) {
        service = EventsFixture.start(
                vertx,
                Organisation.on(vertx),
                EventsFixture.quick(30_000, 60_000),
                "EXTERNAL_PLATFORM_URL",
                "https://molecule.example");
        writer = service.organisation.add("Writer", null);
        token = service.organisation.personOf(writer, Role.OPERATOR);
        serve();
        telegram = new FakeTelegram(vertx);
    }

    @AfterEach
    void stop() {
        service.stop();
    }

    private void serve() {
        var bus = service.bus;
        bus.serve(KeepSecret.CONTRACT, secret -> {
                    var value = secret.value();
                    if (value == null) {
                        kept.remove(secret.key());
                    } else {
                        kept.put(secret.key(), value);
                    }
                    return Future.succeededFuture(new KeepSecret.Kept());
                })
                .await();
        bus.serve(
                        KeptSecret.CONTRACT,
                        question -> Future.succeededFuture(new KeptSecret.Value(kept.get(question.key()))))
                .await();
        bus.serve(
                        LinkChat.CONTRACT,
                        said -> Future.succeededFuture(
                                said.code().equals("BCDF-GHJK")
                                        ? new LinkChat.Linked(
                                                "kim", Base64.getEncoder().encodeToString(Tokens.hash(token)))
                                        : new LinkChat.Linked(null, null)))
                .await();
        bus.serve(AskForWork.CONTRACT, wanted -> {
                    if (away) {
                        return Future.failedFuture(ApiError.unavailable("workspace agent busy"));
                    }
                    askedEver.add(wanted);
                    return Future.succeededFuture(new AskForWork.Asked(asked.putIfAbsent(wanted.id(), wanted) == null));
                })
                .await();
        bus.serve(WorkAnswers.CONTRACT, question -> {
                    List<WorkAnswers.One> ended = new ArrayList<>();
                    for (var id : question.ids()) {
                        String answer = answers.get(id);
                        if (answer != null) {
                            ended.add(new WorkAnswers.One(id, "done", answer));
                        }
                    }
                    return Future.succeededFuture(new WorkAnswers.Answers(ended));
                })
                .await();
        bus.serve(DecideApproval.CONTRACT, decision -> {
                    decided.add(decision);
                    var refused = refusal;
                    if (refused != null) {
                        return Future.failedFuture(refused);
                    }
                    if (changed) {
                        return Future.failedFuture(ApiError.conflict("this approval is not what was shown"));
                    }
                    return decided.size() > 1
                            ? Future.failedFuture(ApiError.notFound("approval not found or already decided"))
                            : Future.succeededFuture(new DecideApproval.Decided("approved", waits));
                })
                .await();
    }

    @Test
    void who_says_the_code_asks_an_agent_and_hears_its_answer() {
        link();
        telegram.write(KIM, "@writer: what is new?\nIn short.");
        await().until(() -> asked.size() == 1);
        var wanted = asked.values().iterator().next();
        assertThat(wanted.to()).isEqualTo(writer);
        assertThat(wanted.words()).isEqualTo("what is new?\nIn short.");
        assertThat(wanted.askedBy()).isEqualTo("person:kim (telegram)");

        answers.put(wanted.id(), "<b>Nothing</b> & all");
        await().until(() -> heard().contains("Writer:\n<b>Nothing</b> & all"));
        telegram.write(KIM, "and yesterday?");
        await().until(() -> asked.size() == 2);

        assertThat(asked.values().stream().map(AskForWork::context).distinct()).hasSize(1);
        assertThat(kept).containsOnlyKeys("chats/telegram");
        assertThat(service.get("/notifications/telegram"))
                .contains("\"people\":[\"kim\"]", "\"bot\":\"123456\"")
                .doesNotContain(FakeTelegram.TOKEN);
    }

    @Test
    void strangers_groups_and_wrong_codes_hear_nothing() {
        bot();
        telegram.write(STRANGER, "@Writer tell me all");
        telegram.write(STRANGER, "/link BCDF-GHJX");
        telegram.press(STRANGER, "y:" + UUID.randomUUID());
        link();
        telegram.write(KIM, "@Writer in a group", "group");
        telegram.write(KIM, "@Writer alone");
        await().until(() -> asked.size() == 1);

        assertThat(asked.values().iterator().next().words()).isEqualTo("alone");
        assertThat(telegram.textsTo(STRANGER)).isEmpty();
        assertThat(decided).isEmpty();
    }

    @Test
    void an_approval_is_told_once_with_buttons_and_given_there_in_the_persons_name() {
        link();
        tell("APPROVAL_REQUESTED", approval().put("digest", DIGEST));
        await().until(() -> telegram.said.stream().anyMatch(message -> message.has("reply_markup")));
        var told = telegram.said.stream()
                .filter(message -> message.has("reply_markup"))
                .findFirst()
                .orElseThrow();
        assertThat(told.path("text").asText())
                .contains("Writer: may it?", "publish", "https://molecule.example/ui#needs=");

        String yes = told.at("/reply_markup/inline_keyboard/0/0/callback_data").asText();
        assertThat(yes).hasSizeLessThanOrEqualTo(64);
        telegram.press(KIM, yes);
        telegram.press(KIM, yes);
        await().until(() -> heard().contains("It was decided already."));

        assertThat(heard()).contains("Approved: publish");
        assertThat(decided.getFirst().workspaceId()).isEqualTo(writer);
        assertThat(decided.getFirst().approved()).isTrue();
        assertThat(decided.getFirst().channel()).isEqualTo("telegram");
        assertThat(decided.getFirst().digest()).isEqualTo(DIGEST);
        await().until(() -> telegram.seen.size() == 2);
        assertThat(telegram.said.stream().filter(message -> message.has("reply_markup")))
                .hasSize(1);
    }

    @Test
    void a_button_decides_nothing_else_than_what_stood_above_it() {
        link();
        tell("APPROVAL_REQUESTED", approval().put("digest", DIGEST));
        await().until(() -> telegram.said.stream().anyMatch(message -> message.has("reply_markup")));
        String yes = button();
        service.database
                .run("UPDATE inbox SET details = jsonb_set(details, '{digest}', to_jsonb(repeat('0', 64)))")
                .await();

        telegram.press(KIM, yes);

        await().until(() -> heard().stream().anyMatch(text -> text.startsWith("It is not what was shown here")));
        assertThat(decided).isEmpty();
    }

    @Test
    void what_the_platform_says_was_changed_is_said_there_and_an_older_button_names_no_digest() {
        link();
        changed = true;
        tell("APPROVAL_REQUESTED", approval().put("digest", DIGEST));
        await().until(() -> telegram.said.stream().anyMatch(message -> message.has("reply_markup")));

        telegram.press(KIM, button().substring(0, 38));

        await().until(() -> heard().stream().anyMatch(text -> text.startsWith("It is not what was shown here")));
        assertThat(decided.getFirst().digest()).isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "FORBIDDEN|not_a_decider|Not decided: only lee may decide this (approval rule pay)",
                "CONFLICT|approved_already|Not decided: only lee may decide this (approval rule pay)",
                "FORBIDDEN||You may look there, and not decide."
            })
    void who_may_not_decide_by_a_rule_is_told_who_may(ApiError.Kind kind, @Nullable String code, String says) {
        link();
        refusal = new ApiError(
                kind,
                "only lee may decide this (approval rule pay)",
                code == null ? Map.of() : Map.of(DecideApproval.CODE, code));
        tell("APPROVAL_REQUESTED", approval().put("digest", DIGEST));
        await().until(() -> telegram.said.stream().anyMatch(message -> message.has("reply_markup")));

        telegram.press(KIM, button());

        await().until(() -> heard().contains(says));
    }

    @Test
    void the_first_of_two_who_approve_is_told_for_whom_it_waits() {
        link();
        waits = "1 of 2 approved, waits for lee";
        tell("APPROVAL_REQUESTED", approval().put("digest", DIGEST));
        await().until(() -> telegram.said.stream().anyMatch(message -> message.has("reply_markup")));

        telegram.press(KIM, button());

        await().until(() -> heard().contains("Approved: publish\n1 of 2 approved, waits for lee"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "\"people\":[\"lee\"]|-|You do not decide this: approval rule pay names others. Now: waits for lee.",
                "\"people\":[\"kim\",\"lee\"],\"askers\":[\"kim\"]|-|You do not decide this: you asked for it, or may have. Now: waits for lee.",
                "\"role\":\"owner\"|-|You do not decide this: approval rule pay names others. Now: waits for lee.",
                "\"role\":\"operator\",\"approved_by\":[\"kim\"]|Deny|-",
                "\"people\":[\"kim\"]|Approve Deny|-"
            })
    void buttons_are_offered_to_who_decides_by_the_rule(String named, @Nullable String buttons, @Nullable String says) {
        link();
        var asked = approval().put("digest", DIGEST);
        asked.set("deciders", Json.stored("{\"rule\":\"pay\",%s,\"waits\":\"waits for lee\"}".formatted(named)));
        tell("APPROVAL_REQUESTED", asked);
        await().until(() -> heard().stream().anyMatch(text -> text.contains("publish")));

        var told = telegram.said.stream()
                .filter(message -> message.path("text").asText().contains("publish"))
                .findFirst()
                .orElseThrow();
        assertThat(String.join(" ", told.path("reply_markup").findValuesAsText("text")))
                .isEqualTo(buttons == null ? "" : buttons);
        assertThat(told.path("text").asText()).contains(says == null ? "publish" : says);
    }

    private String button() {
        return telegram.said.stream()
                .filter(message -> message.has("reply_markup"))
                .findFirst()
                .orElseThrow()
                .at("/reply_markup/inline_keyboard/0/0/callback_data")
                .asText();
    }

    @Test
    void what_is_approved_there_is_shown_whole_and_what_is_longer_has_no_buttons() {
        link();
        var asked = approval().put("action", "run ./check").put("reason", "to be sure");
        asked.putObject("context")
                .put("tool", "run")
                .putObject("arguments")
                .put("note", "./check \u202eyxe")
                .put("command", "rm -rf docs");
        tell("APPROVAL_REQUESTED", asked);
        await().until(() -> heard().stream().anyMatch(text -> text.contains("run ./check")));
        var shown = telegram.said.stream()
                .filter(message -> message.path("text").asText().contains("run ./check"))
                .findFirst()
                .orElseThrow();
        assertThat(shown.path("text").asText())
                .contains("Reason: to be sure", "\"command\" : \"rm -rf docs\"", "./check \u27E8U+202E\u27E9yxe");
        assertThat(shown.has("reply_markup")).isTrue();

        var longer = approval().put("action", "run ./other");
        longer.putObject("context").putObject("arguments").put("command", "true #" + "x".repeat(4_000) + "\nrm -rf /");
        tell("APPROVAL_REQUESTED", longer);
        tell("APPROVAL_REQUESTED", approval().put("action", "run ./third").put("context_left_out", true));
        tell("APPROVAL_REQUESTED", approval().put("action", "y".repeat(2_500)));
        await().until(() -> heard().stream()
                        .filter(text -> text.contains("too long for a message"))
                        .count()
                == 3);

        assertThat(telegram.said.stream().filter(message -> message.has("reply_markup")))
                .hasSize(1);
        assertThat(heard().stream().filter(text -> text.contains("too long")))
                .allSatisfy(text -> assertThat(text)
                        .contains("https://molecule.example/ui#needs=")
                        .doesNotContain("run ./other", "run ./third", "yyy"));
    }

    @Test
    void a_viewer_hears_and_neither_asks_nor_decides_and_of_what_is_not_theirs_nobody_hears() {
        token = service.organisation.personOf(writer, Role.VIEWER);
        link();
        var other = service.organisation.add("Auditor", null);
        tell("APPROVAL_REQUESTED", approval());
        EventLog.append(
                        service.database,
                        "APPROVAL_REQUESTED",
                        other,
                        Json.object()
                                .put("approval_id", UUID.randomUUID().toString())
                                .put("action", "secret thing"))
                .await();
        service.log.committed();
        telegram.write(KIM, "@Writer go");
        telegram.write(KIM, "@Auditor go");

        await().until(() -> heard().contains("There is nobody of that name."));
        await().until(() -> heard().stream().anyMatch(text -> text.contains("publish")) && waiting() == 0);
        assertThat(heard()).contains("You may look there, and not ask.").noneMatch(text -> text.contains("secret"));
        assertThat(telegram.said).noneMatch(message -> message.has("reply_markup"));
        assertThat(asked).isEmpty();
    }

    @Test
    void who_is_shut_out_is_a_stranger_from_then_on() {
        link();
        service.organisation.shutOut(token);
        telegram.write(KIM, "@Writer go");
        await().until(() -> service.get("/notifications/telegram").contains("\"people\":[]"));

        assertThat(asked).isEmpty();
        assertThat(service.json("/notifications/targets")).isEmpty();
        assertThat(heard()).hasSize(1); // that it was linked
    }

    @Test
    void who_leaves_is_a_stranger_from_then_on() {
        link();
        telegram.write(KIM, "/stop");
        await().until(() -> service.get("/notifications/telegram").contains("\"people\":[]"));
        telegram.write(KIM, "@Writer go");
        tell("APPROVAL_REQUESTED", approval());
        await().until(() -> telegram.offsets.contains(903L)); // all three were read

        assertThat(asked).isEmpty();
        assertThat(service.json("/notifications/targets")).isEmpty();
        assertThat(heard()).hasSize(1); // that it was linked
    }

    @Test
    void to_who_blocked_the_bot_nothing_is_said_again_and_what_comes_later_is_tried() {
        link();
        telegram.write(KIM, "@Writer go");
        await().until(() -> asked.size() == 1);
        telegram.blocked = true;
        answers.put(asked.keySet().iterator().next(), "unheard");
        tell("APPROVAL_REQUESTED", approval());
        await().untilAsserted(() -> {
            var target = service.json("/notifications/targets").path(0);
            assertThat(target.path("last_error").asText()).isEqualTo("it was blocked there");
            assertThat(target.path("failing_since").isTextual()).isTrue();
            assertThat(target.path("waiting").asInt()).isZero();
        });
        await().until(() -> count("chat_questions") + count("chat_replies") == 0);
        telegram.blocked = false;
        tell("APPROVAL_REQUESTED", approval().put("action", "delete"));

        await().until(() -> heard().stream().anyMatch(text -> text.contains("delete")));
        await().until(() -> service.json("/notifications/targets")
                .path(0)
                .path("failing_since")
                .isNull());
        assertThat(heard()).noneMatch(text -> text.contains("unheard") || text.contains("publish"));
    }

    @Test
    void what_cannot_be_taken_however_often_it_is_tried_is_passed_over_and_its_sender_hears_so() {
        link();
        away = true;
        telegram.write(KIM, "@Writer never");
        await().until(() -> service.get("/notifications/telegram").contains("cannot be taken at the moment"));
        service.pool.query("UPDATE chat_bots SET tries = 29").execute().await();
        await().until(() -> heard().contains("What you wrote could not be taken just now. Say it again later."));
        away = false;
        telegram.write(KIM, "@Writer now");

        await().until(() -> asked.size() == 1);
        assertThat(askedEver.getFirst().words()).isEqualTo("now");
    }

    @Test
    void what_cannot_be_taken_yet_is_taken_later_once_and_a_refused_answer_is_said_again() {
        link();
        away = true;
        telegram.write(KIM, "@Writer go");
        await().until(() -> service.get("/notifications/telegram").contains("cannot be taken at the moment"));
        assertThat(asked).isEmpty();
        away = false;
        await().until(() -> asked.size() == 1);
        telegram.refusing = 2;
        answers.put(asked.keySet().iterator().next(), "done it");

        await().until(() -> heard().contains("Writer:\ndone it"));
        assertThat(heard().stream().filter(text -> text.equals("Writer:\ndone it")))
                .hasSize(1);
        assertThat(askedEver).hasSize(1);
    }

    @Test
    void two_replicas_take_each_thing_once_and_another_goes_on_where_one_ends() {
        var other = service.replica();
        link();
        for (int nth = 0; nth < 8; nth++) {
            telegram.write(KIM, "@Writer thing " + nth);
            if (nth < 4) {
                answers.put(
                        UUID.nameUUIDFromBytes(
                                ("telegram:123456:" + (901 + nth)).getBytes(java.nio.charset.StandardCharsets.UTF_8)),
                        "answer " + nth);
            }
        }
        await().until(() -> asked.size() >= 3);
        other.stop();
        asked.keySet().forEach(id -> answers.putIfAbsent(id, "late"));
        await().until(() -> {
            asked.keySet().forEach(id -> answers.putIfAbsent(id, "late"));
            return heard().stream()
                            .filter(text -> text.startsWith("Writer:") || text.startsWith("Not taken"))
                            .count()
                    == 8;
        });

        assertThat(askedEver).doesNotHaveDuplicates();
        assertThat(heard().stream().filter(text -> text.startsWith("Writer:\nanswer")))
                .doesNotHaveDuplicates();
    }

    @Test
    void what_is_no_bot_is_refused_and_a_bot_that_goes_takes_its_people_along() {
        assertThat(put("{\"secret\":\"no token\"}")).startsWith("400 {\"error\":\"secret must be the bot's token");
        assertThat(put("{}")).startsWith("400 ");
        assertThat(put("{\"secret\":\"%s\",\"url\":\"ftp://x\"}".formatted(FakeTelegram.TOKEN)))
                .isEqualTo("400 {\"error\":\"url must be an http or https URL\"}");
        assertThat(put("{\"secret\":\"%s\",\"url\":\"http://169.254.169.254\"}".formatted(FakeTelegram.TOKEN)))
                .isEqualTo("400 {\"error\":\"url is not publicly routable\"}");
        assertThat(service.get("/notifications/telegram")).isEqualTo("200 {\"bot\":null}");
        assertThat(service.post("/notifications/targets", "{\"name\":\"x\",\"who\":\"kim\",\"channel\":\"telegram\"}"))
                .isEqualTo("400 {\"error\":\"channel must be webhook, slack, ntfy or email\"}");

        link();
        assertThat(service.send(HttpMethod.DELETE, "/notifications/telegram", null))
                .isEqualTo("200 {\"status\":\"deleted\"}");

        assertThat(service.json("/notifications/targets")).isEmpty();
        assertThat(kept).isEmpty();
    }

    @Test
    void a_person_there_is_a_target_as_others_are() {
        link();
        var target = service.json("/notifications/targets").path(0);
        assertThat(target.path("channel").asText()).isEqualTo("telegram");
        assertThat(target.path("who").asText()).isEqualTo("kim");
        String id = target.path("id").asText();

        assertThat(service.send(HttpMethod.PATCH, "/notifications/targets/" + id, "{\"kinds\":[\"question\"]}"))
                .isEqualTo("200 {\"status\":\"updated\"}");
        assertThat(service.send(HttpMethod.PATCH, "/notifications/targets/" + id, "{\"url\":\"1\"}"))
                .isEqualTo("400 {\"error\":\"url of telegram cannot be changed\"}");
        assertThat(service.send(HttpMethod.DELETE, "/notifications/targets/" + id, null))
                .isEqualTo("200 {\"status\":\"deleted\"}");
        assertThat(service.get("/notifications/telegram")).contains("\"people\":[]");
    }

    private String put(String body) {
        return service.send(HttpMethod.PUT, "/notifications/telegram", body);
    }

    private void bot() {
        assertThat(put("{\"secret\":\"%s\",\"url\":\"%s\"}".formatted(FakeTelegram.TOKEN, telegram.url())))
                .isEqualTo("200 {\"status\":\"saved\"}");
    }

    private void link() {
        bot();
        telegram.write(KIM, "/link BCDF-GHJK");
        await().until(() -> heard().stream().anyMatch(text -> text.startsWith("You are known here as kim.")));
    }

    private long count(String table) {
        return service.pool
                .query("SELECT count(*) FROM " + table)
                .execute()
                .await()
                .iterator()
                .next()
                .getLong(0);
    }

    private List<String> heard() {
        return telegram.textsTo(KIM);
    }

    private int waiting() {
        int waiting = 0;
        for (JsonNode target : service.json("/notifications/targets")) {
            waiting += target.path("waiting").asInt();
        }
        return waiting;
    }

    private static ObjectNode approval() {
        return Json.object().put("approval_id", UUID.randomUUID().toString()).put("action", "publish");
    }

    private void tell(String type, ObjectNode payload) {
        EventLog.append(service.database, type, writer, payload).await();
        service.log.committed();
    }
}
