package ai.molecule.proxy.delegations;

import static ai.molecule.proxy.ProxyUnderTest.seen;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.hints.WorkspaceChanged;
import ai.molecule.common.testing.TestStores;
import ai.molecule.common.workspaces.WorkspaceStatus;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.junit5.VertxExtension;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Giving work to another workspace and reading what became of it. */
@Tag("stores")
@ExtendWith(VertxExtension.class)
class DelegatingWorkTest {

    private static final String DONE =
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"parts\":[{\"kind\":\"text\",\"text\":\"done\"}]}}";

    @SuppressWarnings("NullAway.Init")
    private static Delegating work;

    @BeforeAll
    static void start(Vertx vertx) {
        work = Delegating.start(vertx);
    }

    @BeforeEach
    void anotherSource() {
        work.someoneElse();
    }

    @Test
    void accepted_work_is_sent_once_and_its_answer_is_listed() {
        var peer = work.peerSaying(DONE);

        var answer = work.post(path(), "{\"target_id\":\"%s\",\"task\":\"sum up\"}".formatted(peer));

        String id = answer.bodyAsJsonObject().getString("delegation_id");
        assertThat(seen(answer))
                .isEqualTo("202 {\"delegation_id\":\"%s\",\"status\":\"delegated\",\"target_id\":\"%s\"}"
                        .formatted(id, peer));
        var entry = work.awaitEntry(id, "completed");
        assertThat(entry.path("summary").asText()).isEqualTo("Delegation completed (done)");
        assertThat(entry.path("response_preview").asText()).isEqualTo("done");
        assertThat(entry.path("source_id").asText()).isEqualTo(work.source.toString());
        assertThat(entry.path("target_id").asText()).isEqualTo(peer.toString());
        assertThat(entry.path("type").asText()).isEqualTo("delegation");
        assertThat(entry.has("error")).isFalse();
        assertThat(work.list()).hasSize(2);
        assertThat(work.list().get(1).path("summary").asText()).isEqualTo("Delegating to " + peer);
        assertThat(work.messages(id)).isEqualTo(1);
        assertThat(work.received.stream().map(body -> body.at("/params/message").toString()))
                .containsOnlyOnce( // perhaps not last: what earlier tests sent again may come later
                        ("{\"role\":\"user\",\"messageId\":\"%s\",\"parts\":[{\"type\":\"text\",\"text\":\"sum up\"}],"
                                        + "\"metadata\":{\"delegation_id\":\"%s\"}}")
                                .formatted(id, id));
    }

    @Test
    void an_answer_that_comes_as_a_stream_of_pieces_is_what_they_make_together() {
        String chunk =
                "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"kind\":\"artifact-update\",\"taskId\":\"t\",\"append\":%b,"
                        + "\"artifact\":{\"artifactId\":\"a\",\"parts\":[{\"kind\":\"text\",\"text\":\"%s\"}]}}}\n\n";
        String end =
                "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"kind\":\"status-update\",\"taskId\":\"t\",\"final\":true,"
                        + "\"status\":{\"state\":\"completed\"}}}\n\n";
        var peer = work.peer((request, message) -> request.response()
                .putHeader("Content-Type", "text/event-stream")
                .end(chunk.formatted(false, "The invoice ")
                        + chunk.formatted(true, "is 4,711 euros, ")
                        + chunk.formatted(true, "due on Friday.")
                        + end));

        String id = work.delegate(peer, "read the invoice");

        assertThat(work.awaitEntry(id, "completed").path("response_preview").asText())
                .isEqualTo("The invoice is 4,711 euros, due on Friday.");
    }

    @Test
    void every_change_is_an_event_and_the_activity_rows_show_the_last() {
        var peer = work.peerSaying(DONE);

        String id = work.delegate(peer, "x".repeat(101));

        work.awaitEntry(id, "completed");
        assertThat(work.eventTypes(id)).containsExactly("DELEGATION_SENT", "DELEGATION_STATUS", "DELEGATION_COMPLETE");
        assertThat(work.events(id).getFirst()).contains("\"task_preview\":\"" + "x".repeat(100) + "...\"");
        assertThat(work.events(id).get(1)).contains("\"status\":\"dispatched\"");
        assertThat(work.events(id).getLast())
                .contains("\"response_preview\":\"done\"", "\"target_id\":\"" + peer + "\"")
                .doesNotContain("via", "error");
        await().untilAsserted(() -> assertThat(work.rows())
                .extracting(row -> row.method() + " " + row.status())
                .containsExactly("delegate completed", "delegate_result completed"));
        var result = work.rows().getLast();
        assertThat(result.responseBody()).isEqualTo("{\"text\":\"done\",\"delegation_id\":\"" + id + "\"}");
        assertThat(result.sourceId()).isEqualTo(work.source);
    }

    @Test
    void a_bad_request_is_told_why_and_leaves_nothing() {
        String bad = "400 {\"error\":\"invalid delegation request\"}";
        assertThat(seen(work.post(path(), "{"))).isEqualTo(bad);
        assertThat(seen(work.post(path(), "{\"task\":\"t\"}"))).isEqualTo(bad);
        assertThat(seen(work.post(path(), "{\"target_id\":\"%s\",\"task\":\"\"}".formatted(work.source))))
                .isEqualTo(bad);
        assertThat(seen(work.post(path(), "{\"target_id\":\"x\",\"task\":\"t\"}")))
                .isEqualTo("400 {\"error\":\"target_id must be a valid UUID\"}");
        assertThat(seen(work.post(path(), "{\"target_id\":\"%s\",\"task\":\"t\"}".formatted(work.source))))
                .isEqualTo("400 {\"error\":\"self-delegation not permitted\"}");
        assertThat(seen(work.proxy.post(path(), "{"))).isEqualTo("401 {\"error\":\"missing workspace auth token\"}");

        assertThat(work.list()).isEmpty();
    }

    @Test
    void whom_one_may_not_talk_to_shows_as_a_failure() {
        String id = work.delegate(UUID.randomUUID(), "t");

        var entry = work.awaitEntry(id, "failed");

        assertThat(entry.path("error").asText())
                .isEqualTo("access denied: workspaces cannot communicate per hierarchy rules");
        assertThat(entry.has("outcome")).isFalse();
        assertThat(work.eventTypes(id)).endsWith("DELEGATION_FAILED");
    }

    @Test
    void a_target_without_budget_fails_it_at_once() {
        String url = String.valueOf(work.platform.urlOf(work.peerSaying(DONE)));
        var broke = work.friend(work.platform.workspace(url, true, WorkspaceStatus.ONLINE, true));

        String unpaid = work.delegate(broke, "t");

        assertThat(work.awaitEntry(unpaid, "failed").path("error").asText())
                .isEqualTo("workspace budget limit exceeded");
        assertThat(work.messages(unpaid)).isZero();
    }

    @Test
    void a_target_that_starts_gets_it_when_it_has_an_address() {
        var quick = Delegating.QUICK;
        var patient = Delegating.start(
                Vertx.vertx(),
                new DelegationLimits(
                        10, // so that the last of them is not over before the address is there
                        quick.firstRetry(),
                        quick.deadline(),
                        quick.lease(),
                        quick.tick(),
                        quick.lookEvery(),
                        quick.lookups(),
                        quick.underWayMax(),
                        quick.keep()),
                store -> store);
        String url = String.valueOf(patient.platform.urlOf(patient.peerSaying(DONE)));
        var starting = patient.friend(patient.platform.workspace("", true, WorkspaceStatus.PROVISIONING, false));

        String early = patient.delegate(starting, "t");
        patient.awaitEntry(early, "dispatched");
        patient.platform.put(starting, url, true, WorkspaceStatus.ONLINE, false);
        patient.platform.bus.publish(WorkspaceChanged.HINT, new WorkspaceChanged(starting, 2));

        patient.awaitEntry(early, "completed");
        assertThat(patient.messages(early)).isEqualTo(1);
    }

    @Test
    void an_agent_that_errs_fails_the_delegation_with_its_words() {
        String byStatus = work.delegate(
                work.peer(
                        (request, body) -> request.response().setStatusCode(500).end("{\"error\":\"no model\"}")),
                "t");
        String byRpc = work.delegate(work.peerSaying("{\"error\":{\"code\":-32603,\"message\":\"broken\"}}"), "t");

        assertThat(work.awaitEntry(byStatus, "failed").path("error").asText()).isEqualTo("no model");
        assertThat(work.awaitEntry(byRpc, "failed").path("error").asText()).isEqualTo("broken");
        assertThat(work.messages(byStatus)).isEqualTo(1);
    }

    @Test
    void the_same_key_and_task_is_the_same_delegation_and_another_task_a_conflict() {
        var peer = work.peerSaying(DONE);
        var other = work.peerSaying(DONE);
        String id = keyed(peer, "t").bodyAsJsonObject().getString("delegation_id");
        work.awaitEntry(id, "completed");

        assertThat(seen(keyed(peer, "t")))
                .isEqualTo(("202 {\"delegation_id\":\"%s\",\"status\":\"completed\",\"target_id\":\"%s\","
                                + "\"idempotent_hit\":true}")
                        .formatted(id, peer));
        assertThat(keyed(peer, "another").statusCode()).isEqualTo(409);
        assertThat(keyed(other, "t").bodyAsJsonObject().getString("delegation_id"))
                .isNotEqualTo(id);
        assertThat(work.messages(id)).isEqualTo(1);
    }

    @Test
    void a_failed_delegation_frees_its_key() {
        var stranger = UUID.randomUUID();
        String id = keyed(stranger, "t").bodyAsJsonObject().getString("delegation_id");
        work.awaitEntry(id, "failed");

        var again = keyed(stranger, "t").bodyAsJsonObject();

        assertThat(again.getString("delegation_id")).isNotEqualTo(id);
        assertThat(again.containsKey("idempotent_hit")).isFalse();
    }

    @Test
    void the_path_may_name_the_target_when_the_caller_names_itself() {
        var peer = work.peerSaying(DONE);
        String theirs = work.platform.tokenOf(peer);
        String path = "/workspaces/" + peer + "/delegate";
        String self = work.source.toString();

        var answer = work.proxy.post(
                path, "{\"task\":\"t\"}", "X-Workspace-ID", self, "Authorization", "Bearer " + work.token);
        var forged =
                work.proxy.post(path, "{\"task\":\"t\"}", "X-Workspace-ID", self, "Authorization", "Bearer " + theirs);

        assertThat(answer.statusCode()).isEqualTo(202);
        work.awaitEntry(answer.bodyAsJsonObject().getString("delegation_id"), "completed");
        assertThat(seen(forged)).isEqualTo("401 {\"error\":\"invalid workspace auth token\"}");
    }

    @Test
    void a_target_that_is_not_reached_is_tried_three_times_and_one_that_comes_back_is_reached() {
        var gone = work.friend(work.platform.workspaceAt("http://127.0.0.1:" + TestStores.freePort()));

        String id = work.delegate(gone, "t");

        assertThat(work.awaitEntry(id, "failed").path("error").asText()).isEqualTo("failed to reach workspace agent");
        assertThat(work.platform.rows.stream().filter(row -> gone.equals(row.targetId())))
                .hasSize(3);
        assertThat(work.eventTypes(id)).containsExactly("DELEGATION_SENT", "DELEGATION_STATUS", "DELEGATION_FAILED");
    }

    private String path() {
        return "/workspaces/" + work.source + "/delegate";
    }

    private HttpResponse<Buffer> keyed(UUID target, String task) {
        return work.post(
                path(), "{\"target_id\":\"%s\",\"task\":\"%s\",\"idempotency_key\":\"k\"}".formatted(target, task));
    }
}
