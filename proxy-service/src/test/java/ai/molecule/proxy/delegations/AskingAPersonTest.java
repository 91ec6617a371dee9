package ai.molecule.proxy.delegations;

import static ai.molecule.proxy.delegations.Delegating.isLookup;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.json.Json;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.proxy.ProxyUnderTest;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.junit5.VertxExtension;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** While a person is asked no clock runs, whoever dies meanwhile. */
@ExtendWith(VertxExtension.class)
class AskingAPersonTest {

    private static final String WORKING = task("working", "");
    private static final String DONE =
            task("completed", ",\"artifacts\":[{\"parts\":[{\"kind\":\"text\",\"text\":\"shipped\"}]}]");
    private static final String ASKS = task("input-required", "")
            .replace("\"state\"", "\"message\":{\"parts\":[{\"kind\":\"text\",\"text\":\"Which?\"}]},\"state\"");

    @SuppressWarnings("NullAway.Init")
    private Vertx vertx;

    @SuppressWarnings("NullAway.Init")
    private Delegating work;

    /** An agent that works until it is told to be done; what it knows outlives its process. */
    private final class Steady {
        final AtomicInteger hungUp = new AtomicInteger();
        volatile String lookup = WORKING;
        UUID id;

        Steady() {
            id = work.peer(this::answer);
        }

        void answer(HttpServerRequest request, JsonNode body) {
            if (isLookup(body)) {
                ProxyUnderTest.json(request.response(), lookup);
            } else {
                request.connection().closeHandler(gone -> hungUp.incrementAndGet());
            }
        }

        /** Another process of it, at another address. */
        void restart() {
            var server = ProxyUnderTest.serve(
                    vertx,
                    request -> request.body().onSuccess(body -> {
                        var message = Json.stored(body.toString());
                        work.received.add(message);
                        answer(request, message);
                    }));
            work.platform.put(id, ProxyUnderTest.urlOf(server), true, WorkspaceStatus.ONLINE, false);
        }
    }

    @BeforeEach
    void start(Vertx vertx) {
        this.vertx = vertx;
        this.work = Delegating.start(vertx);
    }

    @Test
    void a_delegation_whose_task_waits_for_an_approval_outlives_three_days_and_a_restart_of_everything() {
        var agent = new Steady();
        String id = work.delegate(agent.id, "ship it");
        await().until(() -> work.messages(id) == 1);
        work.platform.ask(agent.id, "t-1");
        awaitClock(id, true);
        await().untilAsserted(() -> assertThat(agent.hungUp).hasValue(1)); // let go, not held

        work.proxy.stopping().await();
        daysPass(3);
        agent.restart();
        long asked = lookups();
        var later = work.anotherReplica();
        await().until(() -> lookups() > asked); // the new proxy has come to it, far behind its 30 minutes

        assertThat(status(id)).isEqualTo("dispatched");
        agent.lookup = DONE;
        work.platform.decide();
        await().until(() -> status(id).equals("completed"));
        assertThat(text(id)).isEqualTo("shipped");
        assertThat(work.messages(id)).isEqualTo(1);
        later.stopping().await();
    }

    @Test
    void after_the_decision_a_delegation_has_as_much_time_as_it_had_before() {
        var agent = new Steady();
        String id = work.delegate(agent.id, "ship it");
        await().until(() -> work.messages(id) == 1);
        work.platform.ask(agent.id, "t-1");
        awaitClock(id, true);
        daysPass(3);
        work.platform.decide();
        awaitClock(id, false);

        long left = number(
                "SELECT extract(epoch FROM deadline - now())::bigint FROM delegations WHERE delegation_id = $1", id);
        assertThat(left).isBetween(20L * 60, 30L * 60);

        work.database
                .query("UPDATE proxy.delegations SET deadline = now(), due_at = now()")
                .execute()
                .await();
        await().until(() -> status(id).equals("failed")); // nobody is asked any more
    }

    @Test
    void the_clocks_above_stand_still_too_and_those_beside_do_not() {
        var agent = new Steady();
        var middle = new Steady();
        String above = work.delegate(middle.id, "lead");
        String beside = work.delegate(agent.id, "something else");
        await().until(() -> work.messages(above) == 1 && work.messages(beside) == 1);
        var chain = work.delegateAs(middle.id, agent.id, "do");
        await().until(() -> work.messages(chain) == 1);
        // the agent has two messages: only the one of the chain became the task that asks
        agent.lookup = WORKING;
        work.database
                .preparedQuery("UPDATE proxy.delegations SET task_id = delegation_id WHERE delegation_id = ANY ($1)")
                .execute(Tuple.tuple().addArrayOfString(new String[] {beside, chain}))
                .await();

        work.platform.ask(agent.id, chain);

        awaitClock(chain, true);
        awaitClock(above, true);
        assertThat(stands(beside)).isFalse();
    }

    @Test
    void a_question_of_the_agent_is_no_outcome_and_a_persons_words_in_its_context_answer_it() {
        Map<String, JsonNode> heard = new ConcurrentHashMap<>();
        List<JsonNode> words = new CopyOnWriteArrayList<>();
        var agent = work.peer((request, body) -> {
            if (isLookup(body)) { // it cannot be asked
                ProxyUnderTest.json(request.response(), "{\"error\":{\"code\":-32601,\"message\":\"unknown method\"}}");
            } else if (heard.putIfAbsent("first", body) == null) {
                ProxyUnderTest.json(request.response(), ASKS);
            } else {
                words.add(body);
                ProxyUnderTest.json(request.response(), DONE);
            }
        });
        String id = work.delegate(agent, "paint it");
        awaitClock(id, true);
        daysPass(3);

        var answer = work.proxy.send(
                agent,
                "{\"method\":\"message/send\",\"params\":{\"message\":{\"messageId\":\"p-1\",\"contextId\":\"c-1\",\"role\":\"user\","
                        + "\"parts\":[{\"kind\":\"text\",\"text\":\"the red one\"}]}}}");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(words.getFirst().at("/params/message/taskId").asText()).isEqualTo("t-1");
        await().until(() -> status(id).equals("completed"));
        assertThat(text(id)).isEqualTo("shipped");
        assertThat(number("SELECT count(*) FROM waits")).isZero();
        assertThat(recorded(agent).stream().distinct()) // an answer may be looked at twice
                .containsExactly(
                        "TASK_WAITING {\"task_id\": \"t-1\", \"asks_for\": \"input\", \"question\": \"Which?\", \"context_id\": \"c-1\"}",
                        "TASK_WAIT_ENDED {\"task_id\": \"t-1\"}");
    }

    @Test
    void a_person_is_told_the_question_once_and_not_what_the_agent_said_before_it() {
        String preamble = ",\"artifacts\":[{\"parts\":[{\"kind\":\"text\",\"text\":\"Let me look into that.\"}]}]";
        String asks = task("input-required", preamble)
                .replace("\"state\"", "\"message\":{\"parts\":[{\"kind\":\"text\",\"text\":\"Which?\"}]},\"state\"");
        var agent = work.peer((request, body) -> ProxyUnderTest.json(request.response(), asks));

        work.delegate(agent, "paint it");
        for (int minute = 1; minute <= 4; minute++) {
            long before = lookups();
            await().until(() -> {
                work.database
                        .query("UPDATE proxy.delegations SET due_at = now() WHERE due_at > now()")
                        .execute()
                        .await();
                return lookups() > before;
            });
        }

        String told =
                "TASK_WAITING {\"task_id\": \"t-1\", \"asks_for\": \"input\", \"question\": \"Which?\", \"context_id\": \"c-1\"}";
        assertThat(recorded(agent)).containsExactly(told);

        work.proxy.send( // it asks the same again
                agent,
                "{\"method\":\"message/send\",\"params\":{\"message\":{\"messageId\":\"p-1\",\"contextId\":\"c-1\",\"role\":\"user\","
                        + "\"parts\":[{\"kind\":\"text\",\"text\":\"the red one\"}]}}}");
        await().untilAsserted(() -> assertThat(recorded(agent)).containsExactly(told, told));
    }

    /** What was told of its questions, for the inbox. */
    private List<String> recorded(UUID agent) {
        return work
                .database
                .preparedQuery(
                        "SELECT event_type || ' ' || payload AS told FROM log.events WHERE workspace_id = $1 AND event_type LIKE 'TASK\\_%' ORDER BY id")
                .execute(Tuple.of(agent))
                .await()
                .stream()
                .map(row -> row.getString("told"))
                .toList();
    }

    private static String task(String state, String more) {
        return "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"kind\":\"task\",\"id\":\"t-1\",\"contextId\":\"c-1\",\"status\":{\"state\":\"%s\"}%s}}"
                .formatted(state, more);
    }

    /** As if all that the proxy keeps had happened so much earlier. */
    private void daysPass(int days) {
        String earlier = " - interval '%d days'".formatted(days);
        work.database
                .query(
                        "UPDATE proxy.delegations SET created_at = created_at %1$s, deadline = deadline %1$s, due_at = due_at %1$s, "
                                        .formatted(earlier)
                                + "touched_at = touched_at %1$s, stopped_at = stopped_at %1$s".formatted(earlier))
                .execute()
                .await();
        work.database
                .query("UPDATE proxy.waits SET since = since" + earlier)
                .execute()
                .await();
    }

    private void awaitClock(String delegationId, boolean stands) {
        await().until(() -> stands(delegationId) == stands);
    }

    private long lookups() {
        return work.received.stream().filter(Delegating::isLookup).count();
    }

    private boolean stands(String delegationId) {
        return number(
                        "SELECT (stopped_at IS NOT NULL)::integer::bigint FROM delegations WHERE delegation_id = $1",
                        delegationId)
                == 1;
    }

    private String status(String delegationId) {
        return column("status", delegationId);
    }

    private String text(String delegationId) {
        return column("result_text", delegationId);
    }

    private String column(String name, String delegationId) {
        return work.database
                .preparedQuery("SELECT %s FROM proxy.delegations WHERE delegation_id = $1".formatted(name))
                .execute(Tuple.of(delegationId))
                .await()
                .iterator()
                .next()
                .getString(0);
    }

    private long number(String query, Object... parameters) {
        return work.database
                .preparedQuery(query.replace("FROM delegations", "FROM proxy.delegations")
                        .replace("FROM waits", "FROM proxy.waits"))
                .execute(Tuple.wrap(List.of(parameters)))
                .await()
                .iterator()
                .next()
                .getLong(0);
    }
}
