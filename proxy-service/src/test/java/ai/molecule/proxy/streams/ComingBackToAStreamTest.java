package ai.molecule.proxy.streams;

import static ai.molecule.common.testing.Records.with;
import static ai.molecule.proxy.ProxyUnderTest.json;
import static ai.molecule.proxy.ProxyUnderTest.seen;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.db.Database;
import ai.molecule.proxy.ProxyUnderTest;
import ai.molecule.proxy.Reading;
import ai.molecule.proxy.activity.RowIds;
import ai.molecule.proxy.protocol.Protocol;
import ai.molecule.proxy.protocol.Sighting;
import ai.molecule.proxy.protocol.TaskState;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.junit5.VertxExtension;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client that lost its connection gets exactly what it missed and then what comes, on whichever replica it comes back. */
@ExtendWith(VertxExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ComingBackToAStreamTest {

    private static final Pattern ID = Pattern.compile("(?m)^id: (.*)$");
    private static final Pattern WORD = Pattern.compile("\"text\":\"(\\w+)\"");

    @SuppressWarnings("NullAway.Init")
    private Vertx vertx;

    @SuppressWarnings("NullAway.Init")
    private ProxyUnderTest here;

    @SuppressWarnings("NullAway.Init")
    private ProxyUnderTest elsewhere;

    private final Queue<String> asked = new ConcurrentLinkedQueue<>();
    private final Queue<HttpServerResponse> streams = new ConcurrentLinkedQueue<>();

    @BeforeAll
    void startTwoReplicas() {
        vertx = Vertx.vertx();
        here = ProxyUnderTest.start(
                vertx,
                config -> with(
                        config,
                        "journal",
                        with(
                                config.journal(),
                                Map.of(
                                        "lease",
                                        Duration.ofSeconds(6),
                                        "tick",
                                        Duration.ofMillis(200),
                                        "patience",
                                        Duration.ofSeconds(60)))));
        elsewhere = here.replica();
    }

    @AfterAll
    void stop() {
        vertx.close().await();
    }

    @ParameterizedTest
    @ValueSource(strings = {"message/stream", "message/sendSubscribe"})
    void with_the_last_event_id_exactly_the_missing_events_come_and_then_the_live_ones(String method) {
        var agent = agent();
        var first = read(here, agent, request(method, "1", "{}"));
        say("one", "two", "three");
        await().until(() -> words(first).size() == 3);
        first.leave();
        say("four");

        var back = read(elsewhere, agent, request(method, "1", "{}"), "Last-Event-ID", idOf(first, 2));
        await().until(() -> words(back).size() == 2);
        say("five");
        streams.element().end();

        back.end.join();
        assertThat(words(back)).containsExactly("three", "four", "five");
        assertThat(ids(back).getFirst()).isEqualTo(idOf(first, 3));
        assertThat(asked).hasSize(1);
    }

    @Test
    void resubscribing_to_a_task_without_a_position_gets_its_whole_stream_under_the_new_requests_id() {
        var agent = agent();
        var first = read(here, agent, request("message/stream", "1", "{}"));
        say("one", "two");
        await().until(() -> words(first).size() == 2);

        var second = read(elsewhere, agent, request("tasks/resubscribe", "\"again\"", "{\"id\":\"t-1\"}"));
        await().until(() -> words(second).size() == 2);
        var third = read(here, agent, request("tasks/resubscribe", "7", "{\"id\":\"t-1\"}"));
        say("three");
        streams.element().end();

        assertThat(idsAtEnd(first)).isEqualTo(idsAtEnd(second)).isEqualTo(idsAtEnd(third));
        assertThat(words(second)).containsExactly("one", "two", "three");
        assertThat(second.soFar()).contains("\"id\":\"again\"").doesNotContain("\"id\":1,");
        assertThat(asked).hasSize(1);
    }

    @Test
    void a_task_the_journal_does_not_know_is_asked_of_its_agent() {
        var agent = agent();

        var reading = read(here, agent, request("tasks/resubscribe", "1", "{\"id\":\"t-elsewhere\"}"));
        await().until(() -> !streams.isEmpty());
        say("live");
        streams.element().end();

        assertThat(reading.end.join()).contains("live");
        assertThat(asked.element()).contains("tasks/resubscribe").contains("t-elsewhere");
    }

    @Test
    void a_position_past_what_is_kept_is_a_gap_and_never_silence() {
        var agent = agent();
        var first = read(here, agent, request("message/stream", "1", "{}"));
        say("one");
        streams.element().end();
        first.end.join();
        String past = idOf(first, 1).replaceAll("-1$", "-5");

        for (String cursor : List.of(past, past.replaceAll("\\.1-5$", ".9-1"), "0".repeat(32) + ".1-1", "17")) {
            var refused = read(elsewhere, agent, request("message/stream", "3", "{}"), "Last-Event-ID", cursor);
            assertThat(refused.end.join())
                    .startsWith(
                            "data: {\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":-32603,\"message\":\"stream gap: ")
                    .contains("\"data\":{\"reason\":\"stream-gap\"}");
        }
        assertThat(asked).hasSize(1);
    }

    @Test
    void another_agents_stream_and_another_callers_are_not_there() {
        var agent = agent();
        var first = read(here, agent, request("message/stream", "1", "{}"));
        say("secret");
        streams.element().end();
        first.end.join();
        var stranger = UUID.randomUUID();
        here.platform.mayTalk(stranger, agent);
        String begin = idOf(first, 1).replaceAll("-1$", "-0");

        var asStranger = read(
                here,
                agent,
                request("message/stream", "1", "{}"),
                "Last-Event-ID",
                begin,
                "X-Workspace-ID",
                stranger.toString());
        var elsewhereAgent = read(here, agent(), request("message/stream", "1", "{}"), "Last-Event-ID", begin);

        assertThat(asStranger.end.join()).contains("stream-gap").doesNotContain("secret");
        assertThat(elsewhereAgent.end.join()).contains("stream-gap").doesNotContain("secret");
        assertThat(seen(here.send(
                        agent,
                        request("tasks/resubscribe", "1", "{\"id\":\"t-1\"}"),
                        "X-Workspace-ID",
                        stranger.toString())))
                .isEqualTo(
                        "200 {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32001,\"message\":\"Task not found\"}}");
    }

    @Test
    void a_replica_that_stops_gives_its_stream_to_one_that_follows_the_agents_task() {
        var agent = agent();
        var leaving = here.replica();
        var first = read(leaving, agent, request("message/stream", "1", "{}"));
        say("one");
        await().until(() -> words(first).size() == 1);

        leaving.stopping().await();

        assertThat(first.end.join()).contains("stream interrupted: the platform stopped");
        streams.poll();
        await().until(() -> !streams.isEmpty());
        var back = read(here, agent, request("message/stream", "1", "{}"), "Last-Event-ID", idOf(first, 1));
        say("two");
        streams.element().end();
        back.end.join();
        assertThat(words(back)).containsExactly("two");
        assertThat(ids(back).getFirst()).endsWith(".2-2");
        await().untilAsserted(() -> assertThat(here.platform.rows)
                .filteredOn(row -> agent.equals(row.targetId()))
                .hasSize(1));
    }

    @Test
    void a_client_that_is_back_before_its_stream_is_adopted_waits_and_goes_on() {
        var agent = agent();
        var store = new PgStreamStore(new Database(vertx, here.databaseUrl(), "proxy", () -> {}));
        var dead = UUID.randomUUID();
        store.renew(dead).await();
        var head = StreamHead.begun(
                new RowIds(Clock.systemUTC(), RandomGenerator.getDefault()).next(),
                dead,
                new StreamHead.Origin(agent, null, Protocol.V0_3, "message/stream", "1", new byte[] {'{', '}'}, 1));
        var task = new Sighting("t-1", null, TaskState.WORKING, "{\"state\":\"working\"}");
        var entry = new StreamStore.Entry(1, Buffer.buffer("data: {\"id\":1}\n\n"));
        store.append(
                        dead,
                        List.of(head),
                        List.of(new StreamStore.Addition(head.id(), List.of(entry), task, false, null)))
                .await();

        var back = read(
                here, agent, request("message/stream", "1", "{}"), "Last-Event-ID", new Cursor(head.id(), 1, 1).text());
        await().until(() -> !streams.isEmpty());
        say("two");
        streams.element().end();

        assertThat(back.end.join()).contains("two").contains(".2-2");
        assertThat(words(back)).containsExactly("two");
    }

    /** An agent that streams what {@link #say} says, under the id of the request. */
    private UUID agent() {
        asked.clear();
        streams.clear();
        return here.agent(request -> request.body().onSuccess(body -> {
            asked.add(body.toString());
            if (body.toString().contains("tasks/get")) {
                json(
                        request.response(),
                        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32001,\"message\":\"?\"}}");
            } else {
                open(request);
            }
        }));
    }

    private void open(HttpServerRequest request) {
        var response = request.response().setChunked(true).putHeader("Content-Type", "text/event-stream");
        response.writeHead();
        streams.add(response);
    }

    private void say(String... words) {
        await().until(() -> !streams.isEmpty());
        for (String word : words) {
            streams.element()
                    .write(
                            "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"kind\":\"artifact-update\",\"taskId\":\"t-1\","
                                    + "\"contextId\":\"c-1\",\"artifact\":{\"parts\":[{\"kind\":\"text\",\"text\":\""
                                    + word
                                    + "\"}]}}}\n\n");
        }
    }

    private Reading read(ProxyUnderTest proxy, UUID agent, String body, String... headers) {
        return Reading.of(vertx, HttpMethod.POST, proxy.port, "/workspaces/" + agent + "/a2a", body, headers);
    }

    private static String request(String method, String id, String params) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"" + method + "\",\"params\":" + params + "}";
    }

    private static List<String> words(Reading reading) {
        return WORD.matcher(reading.soFar())
                .results()
                .map(found -> found.group(1))
                .toList();
    }

    private static List<String> ids(Reading reading) {
        return ID.matcher(reading.soFar())
                .results()
                .map(found -> found.group(1))
                .toList();
    }

    private static List<String> idsAtEnd(Reading reading) {
        reading.end.join();
        return ids(reading);
    }

    private static String idOf(Reading reading, int n) {
        return ids(reading).get(n - 1);
    }
}
