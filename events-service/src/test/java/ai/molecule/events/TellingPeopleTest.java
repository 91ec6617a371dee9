package ai.molecule.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.auth.Signature;
import ai.molecule.common.bus.proxy.WorkBetween;
import ai.molecule.common.bus.registry.KeepSecret;
import ai.molecule.common.bus.registry.KeptSecret;
import ai.molecule.common.events.EventLog;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.junit5.VertxExtension;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** {@code /notifications/targets}: what waits for a person reaches a person who is not looking, once. */
@ExtendWith(VertxExtension.class)
class TellingPeopleTest {

    private static final String SECRET = "a-secret-of-some-length";

    /** Member, its value in an order that is else right, and what is said. */
    private static final String WRONG = """
            name | null | name must be 1 to 100 characters
            who | " " | who must be 1 to 100 characters
            channel | "pigeon" | channel must be webhook, slack, ntfy or email
            url | "ftp://x" | url must be an http or https URL
            url | "http://169.254.169.254/" | url is not publicly routable
            secret | "short" | secret must be at least 16 characters: it signs
            kinds | ["rumour"] | kinds must be null or kinds of the inbox: approval, question, budget, limit, price, unusual_cost, outcome_unknown, stranger, failed, degraded, awaiting_agent, webhook
            quiet_from | "22:00" | quiet_from and quiet_to go together and differ
            digest_at | "8" | digest_at must be a time of day such as 22:00
            zone | "Mars/Base" | zone must be the name of a time zone such as Europe/Berlin
            deputy | "7f000000-0000-4000-8000-000000000000" | deputy and deputy_until go together
            deputy_until | "soon" | deputy_until must be a time (RFC 3339)
            enabled | "yes" | invalid notification target
            """;

    private final Map<String, String> kept = new ConcurrentHashMap<>();

    @SuppressWarnings("NullAway.Init")
    private EventsFixture service;

    @SuppressWarnings("NullAway.Init")
    private Receiver receiver;

    @SuppressWarnings("NullAway.Init")
    private UUID writer;

    @BeforeEach
    void start(Vertx vertx) {
        service = EventsFixture.start(
                vertx,
                Organisation.on(vertx),
                EventsFixture.quick(30_000, 60_000),
                "EXTERNAL_PLATFORM_URL",
                "https://molecule.example/");
        service.bus.serve(KeepSecret.CONTRACT, this::keep).await();
        service.bus
                .serve(
                        KeptSecret.CONTRACT,
                        question -> Future.succeededFuture(new KeptSecret.Value(kept.get(question.key()))))
                .await();
        receiver = new Receiver(vertx);
        writer = service.organisation.add("Writer", null);
    }

    @AfterEach
    void stop() {
        service.stop();
    }

    @Test
    void a_webhook_hears_once_of_each_thing_with_a_link_to_it_and_a_signature() {
        target(webhook());
        ask("a-1", "publish report");
        ask("a-1", "publish report");

        await().until(() -> receiver.taken().size() == 1);
        var told = receiver.taken().getFirst();
        var row = service.json("/inbox").path("rows").get(0);
        assertThat(told.json().path("event").asText()).isEqualTo("waiting");
        assertThat(told.json().path("kind").asText()).isEqualTo("approval");
        assertThat(told.json().path("workspace_name").asText()).isEqualTo("Writer");
        assertThat(told.json().path("text").asText()).isEqualTo("publish report");
        assertThat(told.json().path("link").asText())
                .isEqualTo("https://molecule.example/ui#needs=" + row.path("id").asText());
        String time = told.headers().get("X-Molecule-Timestamp");
        var signed = Buffer.buffer(time + ".").appendBuffer(told.body()).getBytes();
        assertThat(told.headers().get("X-Molecule-Signature")).isEqualTo(Signature.of(SECRET, signed));

        decide("a-1");
        ask("a-1", "publish report");
        ask("a-2", "delete report");

        await().until(() -> receiver.taken().size() == 3);
        assertThat(texts()).containsExactly("publish report", "publish report", "delete report");
        assertThat(ids()).doesNotHaveDuplicates();
    }

    @Test
    void that_somebody_was_told_is_written_down_after_a_moment_in_which_the_database_takes_nothing() {
        target(webhook());
        service.pool.query("""
                        CREATE SEQUENCE public.tries;
                        CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
                            $$ BEGIN PERFORM nextval('public.tries'); RAISE EXCEPTION 'away'; END $$;
                        CREATE TRIGGER refuse BEFORE UPDATE ON notifications FOR EACH STATEMENT EXECUTE FUNCTION public.refuse()
                        """).execute().await();
        ask("a-1", "pay");
        await().until(() -> rows("public.tries WHERE last_value > 1") == 1);

        service.pool.query("DROP TRIGGER refuse ON notifications").execute().await();

        await().until(() -> rows("notifications WHERE outcome = 'delivered'") == 1);
        assertThat(texts()).containsExactly("pay");
    }

    private int rows(String of) {
        return service.pool.query("SELECT 1 FROM " + of).execute().await().size();
    }

    @Test
    void an_approval_that_others_may_decide_now_is_told_once_more() {
        target(webhook());
        ask("a-1", "pay");
        await().until(() -> receiver.taken().size() == 1);

        var escalated = Json.object().put("approval_id", "a-1").put("action", "pay");
        escalated.putObject("deciders").put("escalated_at", Json.time(Instant.now()));
        tell("APPROVAL_UPDATED", escalated);
        await().until(() -> receiver.taken().size() == 2);
        tell("APPROVAL_UPDATED", escalated);
        ask("a-2", "delete");
        await().until(() -> texts().contains("delete"));

        assertThat(texts()).containsExactly("pay", "pay", "delete");
    }

    @Test
    void a_receiver_that_refuses_loses_nothing_gets_nothing_twice_and_is_told_of() {
        receiver.answer(500);
        String id = target(webhook());
        ask("a-1", "one");
        ask("a-2", "two");
        ask("a-3", "three");

        await().until(() -> receiver.refused().size() > 2);
        await().untilAsserted(() -> {
            assertThat(shown(id).path("failing_since").isTextual()).isTrue();
            assertThat(shown(id).path("last_error").asText()).isEqualTo("answered 500");
        });
        await().until(() -> shown(id).path("waiting").asInt() == 3);
        assertThat(receiver.refused().stream()
                        .map(told -> told.json().path("text").asText()))
                .containsOnly("one"); // one thing after the other
        decide("a-2");
        receiver.answer(200);

        await().until(() -> receiver.taken().size() == 2);
        await().until(() -> shown(id).path("waiting").asInt() == 0);
        assertThat(texts()).containsExactly("one", "three"); // what was decided meanwhile waits for nobody
        assertThat(shown(id).path("failing_since").isNull()).isTrue();
        assertThat(shown(id).path("delivered_at").isTextual()).isTrue();
    }

    @Test
    void one_that_hangs_holds_up_no_other(Vertx vertx) {
        var hanging = new Receiver(vertx);
        hanging.answer(0);
        target(webhook().put("url", hanging.url("/")));
        target(webhook());

        for (int nth = 0; nth < 5; nth++) {
            ask("a-" + nth, "action " + nth);
        }

        await().until(() -> receiver.taken().size() == 5);
        assertThat(hanging.taken()).isEmpty();
    }

    @Test
    void two_replicas_tell_each_thing_once() {
        var other = service.replica();
        target(webhook());
        target(webhook().put("name", "second").put("url", receiver.url("/second")));
        for (int nth = 0; nth < 20; nth++) {
            ask("a-" + nth, "action " + nth);
        }

        await().until(() -> receiver.taken().size() >= 40);
        await().until(() -> waitingOfAll() == 0);

        assertThat(ids()).hasSize(40).doesNotHaveDuplicates();
        other.stop();
    }

    @Test
    void quiet_hours_are_kept_and_what_came_meanwhile_is_told_after_them() {
        var now = LocalTime.now(ZoneOffset.UTC).truncatedTo(ChronoUnit.MINUTES);
        String id = target(webhook()
                .put("quiet_from", now.minusHours(2).toString())
                .put("quiet_to", now.plusHours(2).toString())
                .put("zone", "UTC"));
        String awake = target(webhook().put("name", "awake").put("url", receiver.url("/awake")));
        ask("a-1", "publish");

        await().until(() -> receiver.taken().size() == 1);
        assertThat(receiver.taken().getFirst().path()).isEqualTo("/awake");
        assertThat(shown(id).path("waiting").asInt()).isEqualTo(1);
        await().until(() -> shown(awake).path("waiting").asInt() == 0);
        change(id, "{\"quiet_from\":null,\"quiet_to\":null}");

        await().until(() -> receiver.taken().size() == 2);
        assertThat(receiver.taken().getLast().path()).isEqualTo("/hook");
    }

    @Test
    void a_deputy_is_told_until_its_time_is_over() {
        String deputy = target(webhook()
                .put("name", "deputy")
                .put("url", receiver.url("/deputy"))
                .set("kinds", Json.MAPPER.createArrayNode()));
        String id = target(webhook()
                .put("deputy", deputy)
                .put("deputy_until", Instant.now().plusSeconds(3_600).toString()));
        ask("a-1", "one");
        await().until(() -> receiver.taken().size() == 1);
        change(id, "{\"deputy_until\":\"%s\"}".formatted(Instant.now().minusSeconds(1)));
        ask("a-2", "two");

        await().until(() -> receiver.taken().size() == 2);
        assertThat(receiver.taken().stream().map(Receiver.Told::path)).containsExactly("/deputy", "/hook");
    }

    @Test
    void a_target_hears_of_the_kinds_it_wants() {
        var kinds = Json.MAPPER.createArrayNode().add("question");
        target(webhook().set("kinds", kinds));
        ask("a-1", "publish");
        tell("TASK_WAITING", Json.object().put("task_id", "t-1").put("question", "which colour?"));

        await().until(() -> receiver.taken().size() == 1);
        assertThat(texts()).containsExactly("which colour?");
        await().until(() -> waitingOfAll() == 0);
    }

    @Test
    void slack_gets_text_in_which_an_agents_words_link_and_mention_nobody() {
        String id = target(base("slack").put("secret", receiver.url("/services/T/B/x")));
        ask("a-1", "ping <!channel> & <https://evil.example|us>");

        await().until(() -> receiver.taken().size() == 1);
        var told = receiver.taken().getFirst();
        assertThat(told.path()).isEqualTo("/services/T/B/x");
        assertThat(told.json().path("text").asText())
                .startsWith(
                        "*Writer: may it?*\nping &lt;!channel&gt; &amp; &lt;https://evil.example|us&gt;\n<https://molecule.example/ui#needs=")
                .endsWith("|Open it>");
        assertThat(service.get("/notifications/targets")).doesNotContain("/services/T/B/x");
        assertThat(shown(id).path("url").asText()).isEmpty();
    }

    @Test
    void ntfy_gets_its_json_at_the_server_itself_with_the_topics_token() {
        target(base("ntfy").put("url", receiver.url("/our-topic")).put("secret", "tk_1"));
        ask("a-1", "publish");

        await().until(() -> receiver.taken().size() == 1);
        var told = receiver.taken().getFirst();
        assertThat(told.path()).isEqualTo("/");
        assertThat(told.headers().get("Authorization")).isEqualTo("Bearer tk_1");
        assertThat(told.json().path("topic").asText()).isEqualTo("our-topic");
        assertThat(told.json().path("title").asText()).isEqualTo("Writer: may it?");
        assertThat(told.json().path("message").asText()).isEqualTo("publish");
        assertThat(told.json().path("click").asText()).startsWith("https://molecule.example/ui#needs=");
    }

    @Test
    void a_mail_goes_to_its_server_with_the_password_and_the_same_id_at_each_try(Vertx vertx) {
        var mails = new MailServer(vertx);
        target(base("email")
                .put("url", mails.url())
                .put("from", "molecule@example.org")
                .put("to", "ann@example.org")
                .put("user", "molecule")
                .put("plain", true)
                .put("secret", "pass"));
        ask("a-1", "publish überall");

        await().until(() -> mails.mails.size() == 1);
        assertThat(mails.commands).contains("MAIL FROM:<molecule@example.org>", "RCPT TO:<ann@example.org>");
        assertThat(mails.commands.stream().filter(said -> said.startsWith("AUTH PLAIN")))
                .hasSize(1);
        assertThat(mails.mails.getFirst())
                .contains("Subject: Writer: may it?")
                .contains("https://molecule.example/ui#needs")
                .containsPattern("(?m)^Message-ID: <[0-9a-f-]{36}-1@molecule.invalid>$");
        assertThat(mails.mails.getFirst().split("Message-ID", -1)).hasSize(2);
    }

    @Test
    void mail_is_not_sent_in_clear_to_a_server_that_has_no_tls(Vertx vertx) {
        var mails = new MailServer(vertx);
        String id = target(base("email")
                .put("url", mails.url())
                .put("from", "molecule@example.org")
                .put("to", "ann@example.org")
                .put("user", "molecule")
                .put("secret", "pass"));

        assertThat(service.post("/notifications/targets/" + id + "/test", ""))
                .isEqualTo("502 {\"error\":\"not delivered: the mail server refused it\"}");
        assertThat(mails.commands).noneMatch(said -> said.startsWith("AUTH"));
        assertThat(mails.mails).isEmpty();
    }

    @Test
    void a_digest_tells_how_the_day_went_once() {
        List<WorkBetween> asked = new CopyOnWriteArrayList<>();
        service.bus
                .serve(WorkBetween.CONTRACT, question -> {
                    asked.add(question);
                    return Future.succeededFuture(new WorkBetween.Sum(14, 2, 0, 3_100_000));
                })
                .await();
        target(webhook()
                .put("digest_at", "08:00")
                .put("zone", "Europe/Berlin")
                .set("kinds", Json.MAPPER.createArrayNode()));
        ask("a-1", "publish");
        await().until(() -> service.json("/inbox").path("rows").size() == 1);
        service.pool
                .query("UPDATE notification_targets SET digest_due = now() - interval '1 minute'")
                .execute()
                .await();

        await().until(() -> receiver.taken().size() == 1);
        var told = receiver.taken().getFirst().json();
        assertThat(told.path("event").asText()).isEqualTo("digest");
        assertThat(told.path("text").asText()).isEqualTo("14 done, 2 stopped, $3.10; 1 waits for you");
        assertThat(asked).hasSize(1);
        assertThat(service.pool
                        .query("SELECT digest_due > now() FROM notification_targets")
                        .execute()
                        .await()
                        .iterator()
                        .next()
                        .getBoolean(0))
                .isTrue();
    }

    @Test
    void a_test_says_whether_it_was_taken() {
        String id = target(webhook());

        assertThat(service.post("/notifications/targets/" + id + "/test", ""))
                .isEqualTo("200 {\"status\":\"delivered\"}");
        assertThat(receiver.taken().getFirst().json().path("event").asText()).isEqualTo("test");
        receiver.answer(403);
        assertThat(service.post("/notifications/targets/" + id + "/test", ""))
                .isEqualTo("502 {\"error\":\"not delivered: answered 403\"}");
    }

    @Test
    void secrets_go_to_the_registry_and_never_come_back_and_go_with_their_target() {
        String id = target(webhook());

        assertThat(kept).containsExactly(Map.entry("notifications/" + id, SECRET));
        assertThat(service.get("/notifications/targets")).doesNotContain(SECRET);
        change(id, "{\"secret\":\"another-secret-of-length\",\"name\":\"Renamed\"}");
        assertThat(kept).containsEntry("notifications/" + id, "another-secret-of-length");
        assertThat(shown(id).path("name").asText()).isEqualTo("Renamed");
        assertThat(service.send(HttpMethod.DELETE, "/notifications/targets/" + id, null))
                .isEqualTo("200 {\"status\":\"deleted\"}");
        assertThat(kept).isEmpty();
        assertThat(service.send(HttpMethod.DELETE, "/notifications/targets/" + id, null))
                .isEqualTo("404 {\"error\":\"notification target not found\"}");
    }

    @Test
    void a_kept_secret_goes_to_no_server_that_it_was_not_given_for() {
        String topic =
                target(base("ntfy").put("url", "https://127.0.0.1:1/ours").put("secret", "tk_1"));
        String hook = target(webhook());
        String mailed = target(base("email")
                .put("url", "smtps://mail.example.org:465")
                .put("from", "molecule@example.org")
                .put("to", "ann@example.org")
                .put("user", "mailer")
                .put("secret", SECRET));
        var before = service.json("/notifications/targets");

        for (String url : List.of("https://127.0.0.2:1/ours", "https://127.0.0.1:2/ours", "http://127.0.0.1:1/ours")) {
            refusedWithoutSecret(topic, "{\"name\":\"moved\",\"url\":\"%s\"}".formatted(url));
        }
        refusedWithoutSecret(hook, "{\"url\":\"http://127.0.0.2:1/hook\"}");
        refusedWithoutSecret(mailed, "{\"url\":\"smtps://mail.example.net:465\"}");
        refusedWithoutSecret(mailed, "{\"plain\":true}");

        assertThat(service.json("/notifications/targets")).isEqualTo(before);
        assertThat(kept).containsEntry("notifications/" + topic, "tk_1");
    }

    @Test
    void a_target_moves_within_its_server_without_its_secret_and_elsewhere_with_it_or_when_it_has_none() {
        String topic =
                target(base("ntfy").put("url", "https://127.0.0.1:1/ours").put("secret", "tk_1"));
        change(topic, "{\"url\":\"HTTPS://127.0.0.1:1/another\"}");
        assertThat(kept).containsEntry("notifications/" + topic, "tk_1");

        change(topic, "{\"url\":\"https://127.0.0.2:1/ours\",\"secret\":\"\"}");
        change(topic, "{\"url\":\"https://127.0.0.1:1/ours\"}");

        assertThat(shown(topic).path("url").asText()).isEqualTo("https://127.0.0.1:1/ours");
        assertThat(kept).containsEntry("notifications/" + topic, "");
    }

    @Test
    void who_is_told_is_on_record_and_that_they_are_told_is_not() {
        String id = target(webhook());
        ask("a-1", "publish");
        await().until(() -> receiver.taken().size() == 1);
        change(id, "{\"who\":\"Kim\"}");
        change(id, "{\"who\":\"Kim\"}"); // as it was
        service.send(HttpMethod.DELETE, "/notifications/targets/" + id, null);

        List<String> told = new ArrayList<>();
        service.pool
                .query(
                        "SELECT verb || ' ' || coalesce(entry::jsonb #>> '{detail,who}', '') AS said, entry FROM log.audit WHERE object = '%s' ORDER BY id"
                                .formatted(id))
                .execute()
                .await()
                .forEach(row -> {
                    told.add(row.getString("said"));
                    assertThat(row.getString("entry")).doesNotContain(receiver.url(""), SECRET);
                });
        assertThat(told)
                .containsExactly(
                        "notification_target.created Ann",
                        "notification_target.changed [\"Ann\", \"Kim\"]",
                        "notification_target.deleted ");
    }

    @Test
    void what_is_no_target_is_refused_and_changes_nothing() {
        WRONG.lines().forEach(line -> {
            String[] parts = line.split(" \\| ", 3);
            var body = webhook();
            body.set(parts[0], Json.stored(parts[1]));

            assertThat(service.post("/notifications/targets", Json.text(body)))
                    .isEqualTo("400 {\"error\":\"%s\"}".formatted(parts[2]));
        });

        assertThat(service.json("/notifications/targets")).isEmpty();
        assertThat(kept).isEmpty();
    }

    private Future<KeepSecret.Kept> keep(KeepSecret secret) {
        var value = secret.value();
        if (value == null) {
            kept.remove(secret.key());
        } else {
            kept.put(secret.key(), value);
        }
        return Future.succeededFuture(new KeepSecret.Kept());
    }

    private static ObjectNode base(String channel) {
        return Json.object().put("name", "first").put("who", "Ann").put("channel", channel);
    }

    private ObjectNode webhook() {
        return base("webhook").put("url", receiver.url("/hook")).put("secret", SECRET);
    }

    private void refusedWithoutSecret(String id, String body) {
        assertThat(patch(id, body))
                .as(body)
                .isEqualTo(
                        "400 {\"error\":\"secret must be given again: it would go to another server, or without TLS\"}");
    }

    private String patch(String id, String body) {
        return service.send(HttpMethod.PATCH, "/notifications/targets/" + id, body);
    }

    private String target(JsonNode body) {
        String answer = service.post("/notifications/targets", Json.text(body));
        assertThat(answer).startsWith("201 ");
        return Json.stored(answer.substring(4)).path("id").asText();
    }

    private void change(String id, String body) {
        assertThat(patch(id, body)).isEqualTo("200 {\"status\":\"updated\"}");
    }

    private JsonNode shown(String id) {
        for (var target : service.json("/notifications/targets")) {
            if (target.path("id").asText().equals(id)) {
                return target;
            }
        }
        throw new AssertionError("no target " + id);
    }

    private int waitingOfAll() {
        int waiting = 0;
        for (var target : service.json("/notifications/targets")) {
            waiting += target.path("waiting").asInt();
        }
        return waiting;
    }

    private List<String> texts() {
        return receiver.taken().stream()
                .map(told -> told.json().path("text").asText())
                .toList();
    }

    private List<String> ids() {
        return receiver.taken().stream()
                .map(told -> told.headers().get("X-Molecule-Delivery"))
                .toList();
    }

    private void ask(String id, String action) {
        tell("APPROVAL_REQUESTED", Json.object().put("approval_id", id).put("action", action));
    }

    private void decide(String id) {
        tell("APPROVAL_DECIDED", Json.object().put("approval_id", id).put("status", "approved"));
        await().until(() -> service.json("/inbox")
                .path("rows")
                .valueStream()
                .noneMatch(row -> row.at("/details/approval_id").asText().equals(id)));
    }

    private void tell(String type, ObjectNode payload) {
        EventLog.append(service.database, type, writer, payload).await();
        service.log.committed();
    }
}
