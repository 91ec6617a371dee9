package ai.molecule.proxy.delegations;

import static ai.molecule.proxy.delegations.Delegating.isLookup;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.testing.TestStores;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.proxy.ProxyUnderTest;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Agents that take a message and do not answer: asked what became of it, never sent it again. */
@ExtendWith(VertxExtension.class)
class LosingAnswersTest {

    private static final String WORKING = "{\"result\":{\"status\":{\"state\":\"working\"}}}";
    private static final String FAILED = "{\"result\":{\"status\":{\"state\":\"failed\",\"message\":"
            + "{\"parts\":[{\"kind\":\"text\",\"text\":\"out of tokens\"}]}}}}";

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
    void an_agent_that_breaks_off_is_asked_until_its_task_is_over() {
        var asked = new AtomicInteger();
        var target = work.peer((request, body) -> {
            if (isLookup(body)) {
                ProxyUnderTest.json(request.response(), asked.incrementAndGet() < 3 ? WORKING : FAILED);
            } else {
                request.connection().close();
            }
        });
        String id = work.delegate(target, "t");

        var entry = work.awaitEntry(id, "failed");

        assertThat(entry.path("error").asText()).isEqualTo("out of tokens");
        assertThat(entry.has("outcome")).isFalse();
        assertThat(asked).hasValue(3);
        assertThat(work.messages(id)).isEqualTo(1);
        await().untilAsserted(() -> assertThat(work.platform.rows.stream()
                        .filter(row -> target.equals(row.targetId()))
                        .map(row -> row.status() + " " + row.responseBody()))
                .containsExactly("error null", "ok " + FAILED));
    }

    @Test
    void an_agent_that_is_gone_for_good_leaves_the_outcome_unknown() {
        String id =
                work.delegate(work.peer((request, body) -> request.connection().close()), "t");

        var entry = work.awaitEntry(id, "failed");

        assertThat(entry.path("error").asText())
                .isEqualTo("outcome unknown: the answer was lost and the agent cannot be reached");
        assertThat(work.messages(id)).isEqualTo(1);
    }

    @Test
    void whoever_looked_and_saw_that_it_was_not_done_gives_it_once_more() {
        var answers = new AtomicBoolean();
        var peer = work.peer((request, body) -> {
            if (answers.get()) {
                ProxyUnderTest.json(request.response(), "{\"result\":\"done\"}");
            } else {
                request.connection().close();
            }
        });
        String lost = work.delegate(peer, "send the mail");
        String again = "{\"again\":\"" + lost + "\"}";
        String path = "/workspaces/" + work.source + "/delegate";
        work.awaitEntry(lost, "failed");
        answers.set(true);

        var first = work.post(path, again).bodyAsJsonObject();
        var second = work.post(path, again).bodyAsJsonObject();

        String id = first.getString("delegation_id");
        assertThat(id).isNotEqualTo(lost);
        assertThat(first.getString("target_id")).isEqualTo(peer.toString());
        assertThat(second.getString("delegation_id")).isEqualTo(id);
        work.awaitEntry(id, "completed");
        assertThat(work.received.stream()
                        .filter(body ->
                                body.at("/params/message/messageId").asText().equals(id))
                        .map(body -> body.at("/params/message/parts/0/text").asText()))
                .containsExactly("send the mail");
        assertThat(work.post(path, "{\"again\":\"nobody gave this\"}").statusCode())
                .isEqualTo(404);
        assertThat(work.post(path, "{\"again\":\"" + id + "\"}").bodyAsString()).contains("it has not failed");
    }

    @Test
    void behind_the_deadline_what_was_sent_is_unknown_and_what_was_not_is_undelivered() {
        var hasty = Delegating.start(
                Vertx.vertx(),
                new DelegationLimits(
                        9,
                        Duration.ofMillis(100),
                        Duration.ofSeconds(6), // in which all but one are sent, however busy the machine is
                        Duration.ofSeconds(5),
                        Duration.ofMillis(100),
                        Duration.ofMillis(100),
                        4,
                        64,
                        Duration.ofDays(7)),
                store -> store);
        var silent = hasty.peer((request, body) -> {
            if (isLookup(body)) {
                ProxyUnderTest.json(request.response(), WORKING);
            }
        });
        var absent = hasty.friend(hasty.platform.workspaceAt("http://127.0.0.1:" + TestStores.freePort()));
        var poller =
                hasty.friend(hasty.platform.workspace("remote://no-inbound", false, WorkspaceStatus.ONLINE, false));

        var busy = hasty.peer(
                (request, body) -> request.response().setStatusCode(429).end());

        String sent = hasty.delegate(silent, "t");
        String waiting = hasty.delegate(busy, "t");
        String unsent = hasty.delegate(absent, "t");
        String kept = hasty.delegate(poller, "t");

        assertThat(hasty.awaitEntry(sent, "failed").path("error").asText())
                .isEqualTo("outcome unknown: no answer within 0 minutes");
        assertThat(hasty.awaitEntry(unsent, "failed").path("error").asText())
                .isIn("not delivered within 0 minutes", "failed to reach workspace agent");
        var undelivered = hasty.awaitEntry(waiting, "failed");
        assertThat(undelivered.path("error").asText()).isEqualTo("not delivered within 0 minutes");
        assertThat(undelivered.has("outcome")).isFalse();
        assertThat(hasty.messages(waiting)).isEqualTo(1);
        assertThat(hasty.awaitEntry(kept, "failed").path("outcome").asText()).isEqualTo("unknown");
        hasty.vertx.close().await();
    }

    @Test
    void a_platform_that_is_away_uses_up_no_try() {
        var peer = work.peerSaying("{\"result\":\"done\"}");
        work.platform.away = true;

        String id = work.delegate(peer, "t");

        await().until(() -> work.platform.refused.get() > 4);
        work.platform.away = false;
        work.awaitEntry(id, "completed");
    }
}
