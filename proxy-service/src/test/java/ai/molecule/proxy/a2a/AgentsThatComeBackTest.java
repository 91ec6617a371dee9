package ai.molecule.proxy.a2a;

import static ai.molecule.common.testing.Records.with;
import static ai.molecule.proxy.ProxyUnderTest.HELLO;
import static ai.molecule.proxy.ProxyUnderTest.json;
import static ai.molecule.proxy.ProxyUnderTest.seen;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.proxy.ProxyConfig;
import ai.molecule.proxy.ProxyUnderTest;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** An agent that ends in the middle of a call and goes on with its task is met again by whoever still waits; nobody else is sent anything twice. */
@ExtendWith(VertxExtension.class)
class AgentsThatComeBackTest {

    private static final String LOST = "502 {\"error\":\"failed to reach workspace agent\",\"delivered\":true}";
    private static final String WORKING =
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"status\":{\"state\":\"working\"}}}";
    private static final String NOT_KNOWN =
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32001,\"message\":\"?\"}}";
    private static final String NO_METHOD =
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"?\"}}";
    private static final String DONE = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"done\":true}}";

    private final AtomicInteger messages = new AtomicInteger();
    private final List<String> lookups = new CopyOnWriteArrayList<>();

    @SuppressWarnings("NullAway.Init")
    private ProxyUnderTest proxy;

    @BeforeEach
    void start(Vertx vertx) {
        proxy = ProxyUnderTest.start(
                vertx,
                config -> comingBackWithin(config, Duration.ofSeconds(60)),
                "MOLECULE_ENV",
                "development"); // where this machine's own addresses are dialled
    }

    @Test
    void one_that_goes_on_with_the_message_is_sent_it_again_and_its_answer_is_the_callers() {
        var agent = agent(WORKING);

        assertThat(seen(proxy.send(agent, HELLO))).isEqualTo("200 " + DONE);

        assertThat(messages).hasValue(2);
        assertThat(lookups).singleElement().asString().contains("\"messageId\":\"m-1\"");
        await().untilAsserted(() -> assertThat(
                        proxy.platform.rows.stream().map(row -> row.status() + " " + row.errorDetail()))
                .containsExactly("error connection lost before an answer", "ok null"));
        await().untilAsserted(() -> assertThat(proxy.platform.tasks)
                .last()
                .satisfies(event ->
                        assertThat(event.payload().path("status").asText()).isEqualTo("ok")));
        assertThat(proxy.platform.tasks.stream()
                        .map(event -> event.payload().path("status").asText()))
                .doesNotContain("unknown", "error");
    }

    @Test
    void one_that_is_begun_again_elsewhere_is_found_there(Vertx vertx) {
        var id = UUID.randomUUID();
        var second = ProxyUnderTest.serve(
                vertx,
                request -> request.body().onSuccess(body -> {
                    boolean lookup = isLookup(body.toString());
                    (lookup ? lookups : new CopyOnWriteArrayList<String>()).add(body.toString());
                    json(request.response(), lookup ? WORKING : DONE);
                }));
        var first = ProxyUnderTest.serve(
                vertx,
                request -> request.body().onSuccess(body -> {
                    put(id, ProxyUnderTest.urlOf(second));
                    request.connection().close();
                }));
        put(id, ProxyUnderTest.urlOf(first));

        var answer = proxy.sending(id, HELLO);

        assertThat(seen(answer.await())).isEqualTo("200 " + DONE);
        assertThat(lookups).isNotEmpty();
    }

    @Test
    void one_that_does_not_believe_the_token_of_before_any_more_is_shown_another() {
        proxy.platform.signature = "first";
        var agent = proxy.agent(request -> request.body().onSuccess(body -> {
            boolean lookup = isLookup(body.toString());
            if (!lookup && messages.getAndIncrement() == 0) {
                proxy.platform.signature = "second";
                request.connection().close();
            } else if (String.valueOf(request.getHeader("Authorization")).endsWith(".second")) {
                json(request.response(), lookup ? WORKING : DONE);
            } else {
                request.response().setStatusCode(401).end("{\"error\":\"unauthorized\"}");
            }
        }));

        assertThat(seen(proxy.send(agent, HELLO))).isEqualTo("200 " + DONE);
    }

    @Test
    void one_that_knows_nothing_of_the_message_is_asked_three_times_and_sent_nothing() {
        assertThat(seen(proxy.send(agent(NOT_KNOWN), HELLO))).isEqualTo(LOST);

        assertThat(messages).hasValue(1);
        assertThat(lookups).hasSize(3);
        await().untilAsserted(() -> assertThat(proxy.platform.tasks)
                .last()
                .satisfies(event ->
                        assertThat(event.payload().path("status").asText()).isEqualTo("unknown")));
    }

    @Test
    void one_that_cannot_be_asked_leaves_its_caller_with_the_failure_at_once() {
        assertThat(seen(proxy.send(agent(NO_METHOD), HELLO))).isEqualTo(LOST);

        assertThat(messages).hasValue(1);
        assertThat(lookups).hasSize(1);
    }

    @Test
    void one_that_nobody_here_starts_again_is_asked_three_times(Vertx vertx) {
        var agent = proxy.platform.workspace(
                ProxyUnderTest.urlOf(ProxyUnderTest.serve(
                        vertx,
                        request -> request.body().onSuccess(body -> {
                            count(body.toString());
                            request.connection().close();
                        }))),
                false,
                WorkspaceStatus.ONLINE,
                false);

        assertThat(seen(proxy.send(agent, HELLO))).isEqualTo(LOST);

        assertThat(messages).hasValue(1);
        assertThat(lookups).hasSize(3);
    }

    @Test
    void one_that_does_not_come_back_in_time_is_given_up() {
        var brief = ProxyUnderTest.start(Vertx.vertx(), config -> comingBackWithin(config, Duration.ofMillis(900)));
        var agent = brief.agent(request -> request.body().onSuccess(body -> {
            count(body.toString());
            request.connection().close();
        }));

        assertThat(seen(brief.send(agent, HELLO))).isEqualTo(LOST);

        assertThat(messages).hasValue(1);
        assertThat(lookups).hasSizeBetween(1, 2); // at once, and after a second if the first was quick
    }

    @Test
    void one_that_ends_at_each_message_gets_six_of_them_at_most() {
        var agent = proxy.agent(request -> request.body().onSuccess(body -> {
            if (count(body.toString())) {
                json(request.response(), WORKING);
            } else {
                request.connection().close();
            }
        }));

        assertThat(seen(proxy.send(agent, HELLO))).isEqualTo(LOST);

        assertThat(messages).hasValue(6);
    }

    @Test
    void a_wait_that_ends_meanwhile_ends_it() {
        var agent = proxy.agent(request -> request.body().onSuccess(body -> {
            count(body.toString());
            request.connection().close();
        }));

        assertThat(seen(proxy.send(agent, HELLO, "X-Timeout", "2"))).isEqualTo(LOST);
        int asked = lookups.size();

        assertThat(asked).isBetween(2, 3);
    }

    /** Ends at the first message, answers the next one, and says {@code lookup} when it is asked about one. */
    private UUID agent(String lookup) {
        return proxy.agent(request -> request.body().onSuccess(body -> answer(request, body.toString(), lookup)));
    }

    private void answer(HttpServerRequest request, String body, String lookup) {
        if (count(body)) {
            json(request.response(), lookup);
        } else if (messages.get() == 1) {
            request.connection().close();
        } else {
            json(request.response(), DONE);
        }
    }

    private boolean count(String body) {
        boolean lookup = isLookup(body);
        if (lookup) {
            lookups.add(body);
        } else {
            messages.incrementAndGet();
        }
        return lookup;
    }

    private static boolean isLookup(String body) {
        return body.contains("molecule/tasks/byMessage");
    }

    private void put(UUID id, String url) {
        proxy.platform.put(id, url, true, WorkspaceStatus.ONLINE, false);
    }

    private static ProxyConfig comingBackWithin(ProxyConfig config, Duration time) {
        return with(config, "a2a", with(config.a2a(), "comeBack", time));
    }
}
