package ai.molecule.proxy.delegations;

import static ai.molecule.proxy.ProxyUnderTest.seen;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.hints.ActivityArrived;
import ai.molecule.common.workspaces.WorkspaceStatus;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.junit5.VertxExtension;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Outcomes that somebody reports: agents that fetch their messages, and agents that follow their own delegations. */
@ExtendWith(VertxExtension.class)
class ReportedOutcomesTest {

    /** How many delegations a poller answers at once; 1,000 where time is no matter ({@code .ci/long}). */
    private static final int AT_ONCE = Integer.getInteger("molecule.delegations", 100);

    @SuppressWarnings("NullAway.Init")
    private static Delegating work;

    private UUID poller = UUID.randomUUID();

    @BeforeAll
    static void start(Vertx vertx) {
        work = Delegating.start(vertx);
    }

    @BeforeEach
    void anotherSource() {
        work.someoneElse();
        poller = work.friend(work.platform.workspace("remote://no-inbound", false, WorkspaceStatus.ONLINE, false));
    }

    @Test
    void work_for_an_agent_that_fetches_stays_queued_until_its_first_message_back() {
        String first = work.delegate(poller, "one");
        work.awaitEntry(first, "queued");
        String second = work.delegate(poller, "two");
        work.awaitEntry(second, "queued");
        assertThat(work.platform.rows.getLast().requestBody()).contains("\"delegation_id\":\"" + second + "\"");
        assertThat(work.events(second).getLast())
                .startsWith("DELEGATION_STATUS")
                .contains("\"status\":\"queued\"");

        sendBack("{\"parts\":[{\"kind\":\"text\",\"text\":\"here\"}]}");

        assertThat(work.entry(first).path("response_preview").asText()).isEqualTo("here");
        assertThat(work.entry(second).path("status").asText()).isEqualTo("queued");
    }

    @Test
    void a_reply_that_did_not_get_through_and_is_sent_again_answers_no_second_delegation() {
        String first = work.delegate(poller, "one");
        work.awaitEntry(first, "queued");
        String second = work.delegate(poller, "two");
        work.awaitEntry(second, "queued");
        String reply = "{\"messageId\":\"reply-%s\",\"parts\":[{\"kind\":\"text\",\"text\":\"%s\"}]}";

        sendBack(reply.formatted(1, "here"));
        sendBack(reply.formatted(1, "here"));
        assertThat(work.entry(first).path("response_preview").asText()).isEqualTo("here");
        assertThat(work.entry(second).path("status").asText()).isEqualTo("queued");

        sendBack(reply.formatted(2, "there"));
        assertThat(work.entry(second).path("response_preview").asText()).isEqualTo("there");
    }

    @Test
    void a_reply_that_names_its_delegation_answers_that_one() {
        String first = work.delegate(poller, "one");
        String second = work.delegate(poller, "two");
        work.awaitEntry(first, "queued");
        work.awaitEntry(second, "queued");

        sendBack("{\"parts\":[{\"type\":\"text\",\"text\":\"two\"}],\"metadata\":{\"delegation_id\":\"%s\"}}"
                .formatted(second));

        assertThat(work.entry(second).path("status").asText()).isEqualTo("completed");
        assertThat(work.entry(first).path("status").asText()).isEqualTo("queued");
    }

    @Test
    void the_target_may_report_the_outcome_and_the_first_report_counts() {
        String id = work.delegate(poller, "t");
        work.awaitEntry(id, "queued");
        String token = work.platform.tokenOf(poller);
        String path = "/workspaces/" + poller + "/delegations/" + id + "/update";

        var reported = work.proxy.post(
                path, "{\"status\":\"completed\",\"response_preview\":\"ok\"}", "Authorization", "Bearer " + token);
        update(id, "{\"status\":\"failed\",\"error\":\"too late\"}");

        assertThat(seen(reported)).isEqualTo("200 {\"status\":\"completed\",\"delegation_id\":\"" + id + "\"}");
        assertThat(work.entry(id).path("response_preview").asText()).isEqualTo("ok");
        assertThat(work.eventTypes(id)).endsWith("DELEGATION_STATUS", "DELEGATION_COMPLETE");
    }

    @Test
    void a_paused_agent_brings_the_result_of_work_it_had_and_says_nothing_else() {
        String replied = work.delegate(poller, "one");
        work.awaitEntry(replied, "queued");
        String reported = work.delegate(poller, "two");
        work.awaitEntry(reported, "queued");
        String token = "Bearer " + work.platform.tokenOf(poller);
        work.platform.suspend(poller);
        String reply = "{\"method\":\"message/send\",\"params\":{\"message\":{\"messageId\":\"r\",\"parts\":[]}}}";

        assertThat(seen(work.proxy.post(
                        "/workspaces/" + poller + "/delegations/" + reported + "/update",
                        "{\"status\":\"completed\"}",
                        "Authorization",
                        token)))
                .startsWith("200 ");
        assertThat(work.proxy.send(work.source, reply, "Authorization", token).statusCode())
                .isEqualTo(502); // nobody listens there; what it said was heard
        assertThat(work.entry(replied).path("status").asText()).isEqualTo("completed");
        assertThat(seen(work.proxy.send(work.source, reply.replace("\"r\"", "\"s\""), "Authorization", token)))
                .isEqualTo("403 {\"error\":\"workspace is paused\"}");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void an_agent_that_answers_at_once_loses_no_answer(boolean named) {
        String token = work.platform.tokenOf(poller);
        Set<String> answered = ConcurrentHashMap.newKeySet();
        work.platform.bus.listen(
                ActivityArrived.HINT,
                hint -> unanswered(answered).onSuccess(found -> found.forEach(id -> answerAtOnce(id, named, token))));

        var given = IntStream.range(0, AT_ONCE)
                .mapToObj(i -> work.delegate(poller, "task " + i))
                .toList();

        await().atMost(Duration.ofMinutes(5))
                .untilAsserted(() -> assertThat(work.database
                                .preparedQuery("SELECT count(*) FROM proxy.delegations"
                                        + " WHERE source_id = $1 AND status = 'completed'")
                                .execute(Tuple.of(work.source))
                                .await()
                                .iterator()
                                .next()
                                .getInteger(0))
                        .isEqualTo(given.size()));
    }

    /** What the polling agent finds, of what it has not answered. */
    private Future<List<String>> unanswered(Set<String> answered) {
        return work.database
                .preparedQuery("SELECT request_body #>> '{params,message,metadata,delegation_id}' FROM log.activity"
                        + " JOIN log.activity_bodies USING (id, day)"
                        + " WHERE workspace_id = $1 AND activity_type = 'a2a_receive' ORDER BY seq OFFSET $2")
                .execute(Tuple.of(poller, Math.max(0, answered.size() - 50)))
                .map(rows -> rows.stream()
                        .map(row -> row.getString(0))
                        .filter(answered::add)
                        .toList());
    }

    /** Again under the same id while the platform has no room for it, as agents do: a hundred at once may be too many for a busy machine. */
    private Future<?> answerAtOnce(String id, boolean named, String token) {
        String metadata = !named ? "{}" : "{\"delegation_id\":\"%s\"}".formatted(id);
        return work.proxy
                .client
                .post("/workspaces/" + work.source + "/a2a")
                .bearerTokenAuthentication(token)
                .sendBuffer(Buffer.buffer(
                        "{\"method\":\"message/send\",\"params\":{\"message\":{\"messageId\":\"r-%s\",\"parts\":[],\"metadata\":%s}}}"
                                .formatted(id, metadata)))
                .compose(answer -> answer.statusCode() == 503
                        ? Future.failedFuture(answer.bodyAsString())
                        : Future.succeededFuture())
                .recover(notHeard -> Vertx.currentContext()
                        .owner()
                        .timer(200, TimeUnit.MILLISECONDS)
                        .compose(later -> answerAtOnce(id, named, token).mapEmpty()));
    }

    @Test
    void an_agent_records_what_it_does_itself_and_tells_how_it_ended() {
        assertThat(seen(record("task-7", poller.toString())))
                .isEqualTo("202 {\"delegation_id\":\"task-7\",\"status\":\"recorded\"}");
        record("task-7", poller.toString());
        assertThat(work.entry("task-7").path("status").asText()).isEqualTo("dispatched");

        update("task-7", "{\"status\":\"completed\",\"response_preview\":\"ok\"}");

        assertThat(work.list()).hasSize(2);
        assertThat(work.entry("task-7").path("summary").asText()).isEqualTo("Delegation completed (ok)");
        assertThat(work.events("task-7").getLast())
                .isEqualTo(("DELEGATION_COMPLETE {\"target_id\":\"%s\",\"delegation_id\":\"task-7\","
                                + "\"response_preview\":\"ok\"}")
                        .formatted(poller));
        assertThat(work.eventTypes("task-7")).hasSize(2);
    }

    @Test
    void a_reported_failure_is_no_entry_of_its_own() {
        record("task-8", poller.toString());

        update("task-8", "{\"status\":\"failed\",\"error\":\"no luck\"}");

        assertThat(work.list()).hasSize(1);
        assertThat(work.entry("task-8").path("error").asText()).isEqualTo("no luck");
    }

    @Test
    void the_outcome_of_something_never_recorded_is_noted() {
        assertThat(update("task-9", "{\"status\":\"completed\"}").statusCode()).isEqualTo(200);

        assertThat(work.entry("task-9").path("status").asText()).isEqualTo("completed");
        assertThat(work.entry("task-9").path("target_id").asText()).isEmpty();
        assertThat(work.eventTypes("task-9")).containsExactly("DELEGATION_COMPLETE");
    }

    @Test
    void bad_reports_are_told_why() {
        assertThat(seen(record("x", "nobody"))).isEqualTo("400 {\"error\":\"target_id must be a valid UUID\"}");
        assertThat(seen(record("", poller.toString()))).isEqualTo("400 {\"error\":\"invalid request body\"}");
        assertThat(seen(update("x", "{\"status\":\"done\"}")))
                .isEqualTo("400 {\"error\":\"status must be 'completed' or 'failed'\"}");
        assertThat(work.list()).isEmpty();
    }

    private void sendBack(String message) {
        var answer = work.proxy.send(
                work.source,
                "{\"method\":\"message/send\",\"params\":{\"message\":" + message + "}}",
                "X-Workspace-ID",
                poller.toString());
        assertThat(answer.statusCode()).isEqualTo(502); // nobody listens there; what it said was heard
    }

    private HttpResponse<Buffer> record(String id, String target) {
        return work.post(
                "/workspaces/" + work.source + "/delegations/record",
                "{\"target_id\":\"%s\",\"task\":\"t\",\"delegation_id\":\"%s\"}".formatted(target, id));
    }

    private HttpResponse<Buffer> update(String id, String body) {
        return work.post("/workspaces/" + work.source + "/delegations/" + id + "/update", body);
    }
}
