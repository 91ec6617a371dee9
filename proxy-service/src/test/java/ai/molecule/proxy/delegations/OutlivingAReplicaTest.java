package ai.molecule.proxy.delegations;

import static ai.molecule.proxy.delegations.Delegating.isLookup;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.proxy.Dying;
import ai.molecule.proxy.ProxyUnderTest;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.junit5.VertxExtension;
import io.vertx.sqlclient.Pool;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A replica dies at each step of a delegation; another one goes on, nothing is lost and nothing is sent twice. */
@ExtendWith(VertxExtension.class)
class OutlivingAReplicaTest {

    private static final String METHOD_NOT_FOUND = "{\"error\":{\"code\":-32601,\"message\":\"method not found\"}}";

    private static final String SAID = "{\"result\":{\"parts\":[{\"kind\":\"text\",\"text\":\"done\"}]}}";
    private static final String TASK =
            "{\"result\":{\"kind\":\"task\",\"status\":{\"state\":\"completed\"},\"artifacts\":"
                    + "[{\"parts\":[{\"kind\":\"text\",\"text\":\"done, as said before\"}]}]}}";
    private static final String UNKNOWN = "{\"error\":{\"code\":-32001,\"message\":\"no task\"}}";

    private final Set<String> answered = ConcurrentHashMap.newKeySet();

    @SuppressWarnings("NullAway.Init")
    private Dying dying;

    @Test
    void killed_before_it_took_the_work(Vertx vertx) {
        var work = dying(vertx, Dying.before("claim"));
        String id = work.delegate(work.peer(this::remember), "t");
        goOn(work);

        assertThat(work.awaitEntry(id, "completed").path("response_preview").asText())
                .isEqualTo("done");
        assertThat(work.messages(id)).isEqualTo(1);
    }

    @Test
    void killed_when_it_had_taken_the_work(Vertx vertx) {
        var work = dying(vertx, Dying.after("claim"));
        String id = work.delegate(work.peer(this::remember), "t");
        goOn(work);

        work.awaitEntry(id, "completed");
        assertThat(work.messages(id)).isEqualTo(1);
        assertThat(work.eventTypes(id)).containsExactly("DELEGATION_SENT", "DELEGATION_STATUS", "DELEGATION_COMPLETE");
    }

    @Test
    void killed_before_it_said_that_it_sends(Vertx vertx) {
        var work = dying(vertx, Dying.before("sending"));
        String id = work.delegate(work.peer(this::remember), "t");
        goOn(work);

        work.awaitEntry(id, "completed");
        assertThat(work.messages(id)).isEqualTo(1);
    }

    @Test
    void a_lease_lost_to_another_replica_is_no_failure_of_the_target(Vertx vertx) {
        var lost = new AtomicBoolean();
        var database = new CompletableFuture<Pool>();
        var work = Delegating.start(
                vertx,
                Delegating.QUICK,
                store -> WorkStore.class.cast(Proxy.newProxyInstance(
                        WorkStore.class.getClassLoader(),
                        new Class<?>[] {WorkStore.class},
                        (self, method, arguments) -> {
                            boolean loses = method.getName().equals("sending") && !lost.getAndSet(true);
                            Future<?> before = loses
                                    ? database.join()
                                            .query("UPDATE proxy.delegations SET claim = claim + 1, due_at = now()")
                                            .execute()
                                    : Future.succeededFuture();
                            return before.compose(taken -> called(store, method, arguments));
                        })));
        database.complete(work.database);
        var target = work.peer(this::remember);

        work.awaitEntry(work.delegate(target, "t"), "completed");

        await().untilAsserted(() -> assertThat(work.platform.rows).hasSize(1));
        assertThat(work.platform.rows.getFirst().status()).isEqualTo("ok");
        assertThat(lost).isTrue();
    }

    private static Future<?> called(WorkStore store, Method method, Object[] arguments) {
        try {
            return (Future<?>) method.invoke(store, arguments);
        } catch (ReflectiveOperationException thrown) {
            return Future.failedFuture(thrown);
        }
    }

    @Test
    void killed_when_it_had_said_so_and_sent_nothing(Vertx vertx) {
        var work = dying(vertx, Dying.after("sending"));
        String id = work.delegate(work.peer(this::remember), "t");
        goOn(work);

        var entry = work.awaitEntry(id, "failed");
        assertThat(entry.path("error").asText())
                .isEqualTo("outcome unknown: the answer was lost and the agent does not know the message");
        assertThat(entry.path("outcome").asText()).isEqualTo("unknown");
        assertThat(work.events(id).getLast()).startsWith("DELEGATION_FAILED").contains("\"outcome\":\"unknown\"");
        assertThat(work.messages(id)).isZero();
    }

    @Test
    void killed_with_the_answer_in_its_hands_and_the_agent_remembers(Vertx vertx) {
        var work = dying(vertx, Dying.before("answered"));
        String id = work.delegate(work.peer(this::remember), "t");
        goOn(work);

        assertThat(work.awaitEntry(id, "completed").path("response_preview").asText())
                .isEqualTo("done, as said before");
        assertThat(work.messages(id)).isEqualTo(1);
    }

    @Test
    void killed_with_the_answer_in_its_hands_and_the_agent_cannot_be_asked(Vertx vertx) {
        var work = dying(vertx, Dying.before("answered"));
        String id = work.delegate(
                work.peer((request, body) -> ProxyUnderTest.json(
                        request.response(), isLookup(body) ? METHOD_NOT_FOUND : "{\"result\":\"done\"}")),
                "t");
        goOn(work);

        assertThat(work.awaitEntry(id, "failed").path("error").asText())
                .isEqualTo("outcome unknown: the answer was lost and the agent cannot be asked for it");
        assertThat(work.messages(id)).isEqualTo(1);
    }

    @Test
    void killed_when_the_answer_was_written_down(Vertx vertx) {
        var work = dying(vertx, Dying.after("answered"));
        String id = work.delegate(work.peer(this::remember), "t");
        goOn(work);

        work.awaitEntry(id, "completed");
        assertThat(work.eventTypes(id)).containsExactly("DELEGATION_SENT", "DELEGATION_STATUS", "DELEGATION_COMPLETE");
    }

    @Test
    void killed_when_the_message_lay_in_the_mailbox(Vertx vertx) {
        var work = dying(vertx, Dying.before("awaitReply"));
        var poller = work.friend(work.platform.workspace("remote://no-inbound", false, WorkspaceStatus.ONLINE, false));
        String id = work.delegate(poller, "t");
        goOn(work);

        work.awaitEntry(id, "queued");
        assertThat(work.platform.rows).hasSize(1);
    }

    private Delegating dying(Vertx vertx, Dying how) {
        dying = how;
        return Delegating.start(vertx, Delegating.QUICK, store -> how.of(WorkStore.class, store));
    }

    private void goOn(Delegating work) {
        await().until(() -> dying.dead());
        work.anotherReplica();
    }

    /** Knows its messages by their ids. */
    private void remember(HttpServerRequest request, JsonNode body) {
        String id = body.at("/params/message/messageId").asText();
        String asked = body.at("/params/messageId").asText();
        if (!isLookup(body)) {
            answered.add(id);
        }
        ProxyUnderTest.json(request.response(), !isLookup(body) ? SAID : answered.contains(asked) ? TASK : UNKNOWN);
    }
}
