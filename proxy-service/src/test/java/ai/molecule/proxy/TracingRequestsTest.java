package ai.molecule.proxy;

import static ai.molecule.proxy.ProxyUnderTest.HELLO;
import static ai.molecule.proxy.ProxyUnderTest.json;
import static io.opentelemetry.proto.trace.v1.Span.SpanKind.SPAN_KIND_CLIENT;
import static io.opentelemetry.proto.trace.v1.Span.SpanKind.SPAN_KIND_SERVER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.hints.DrainQueue;
import ai.molecule.common.bus.registry.ResolveRoute;
import ai.molecule.common.testing.TraceCollector;
import ai.molecule.common.testing.TraceCollector.Exported;
import ai.molecule.common.tracing.Tracing;
import io.opentelemetry.proto.trace.v1.Span;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** With a collector, what passes the proxy is one trace: what came in, what the bus was asked, what went out. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TracingRequestsTest {

    private static final String CALLERS_SPAN = "00f067aa0ba902b7";

    private final Vertx outside = Vertx.vertx();
    private final Map<String, String> seen = new ConcurrentHashMap<>();
    private volatile MultiMap received = MultiMap.caseInsensitiveMultiMap();

    @SuppressWarnings("NullAway.Init")
    private TraceCollector collector;

    @SuppressWarnings("NullAway.Init")
    private Tracing tracing;

    @SuppressWarnings("NullAway.Init")
    private Vertx vertx;

    @SuppressWarnings("NullAway.Init")
    private ProxyUnderTest proxy;

    @SuppressWarnings("NullAway.Init")
    private UUID agent;

    @BeforeAll
    void start() throws Exception {
        collector = TraceCollector.start();
        tracing = Tracing.begin(collector.config(), "proxy-service");
        vertx = tracing.over(Vertx.builder()).build();
        var owner = ProxyUnderTest.serve(outside, this::answer);
        proxy = ProxyUnderTest.start(
                vertx, "REGISTRY_URL", ProxyUnderTest.urlOf(owner), "EVENTS_URL", ProxyUnderTest.urlOf(owner));
    }

    @BeforeEach
    void freshAgent() {
        seen.clear();
        agent = proxy.platform.workspaceAt(ProxyUnderTest.urlOf(ProxyUnderTest.serve(outside, this::answer)));
    }

    @AfterAll
    void stop() {
        vertx.close().await();
        tracing.end(Duration.ofSeconds(5));
        outside.close().await();
        collector.close();
    }

    private void answer(HttpServerRequest request) {
        if (!request.path().equals("/ready")) { // at which the front door looks by itself
            received = request.headers();
            seen.put(
                    String.valueOf(request.getHeader("X-Request-Id")),
                    String.join(" ", request.headers().getAll("traceparent")));
        }
        request.body().onSuccess(body -> json(request.response(), "{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"result\":{}}"));
    }

    @Test
    void a_message_to_an_agent_is_one_trace_from_the_caller_over_the_bus_to_the_agent() {
        String trace = freshTrace();
        proxy.send(agent, HELLO, "traceparent", traceparent(trace), "tracestate", "vendor=1");

        var request = span(trace, "POST /workspaces/:id/a2a", SPAN_KIND_SERVER);
        var asked = span(trace, ResolveRoute.CONTRACT.address(), SPAN_KIND_CLIENT);
        var answered = span(trace, ResolveRoute.CONTRACT.address(), SPAN_KIND_SERVER);
        var call = span(trace, "POST agent", SPAN_KIND_CLIENT);
        assertThat(request.service()).isEqualTo("proxy-service");
        assertThat(request.parentId()).isEqualTo(CALLERS_SPAN);
        assertThat(request.attributes())
                .containsEntry("http.route", "/workspaces/:id/a2a")
                .containsEntry("http.response.status_code", "200");
        assertThat(asked.parentId()).isEqualTo(request.spanId());
        assertThat(answered.parentId()).isEqualTo(asked.spanId());
        assertThat(call.parentId()).isEqualTo(request.spanId());
        assertThat(received.getAll("traceparent")).containsExactly("00-" + trace + "-" + call.spanId() + "-01");
        assertThat(received.getAll("tracestate")).containsExactly("vendor=1");
    }

    @Test
    void a_message_without_a_trace_begins_one_and_the_agent_learns_of_it() {
        proxy.send(agent, HELLO);

        String trace = received.get("traceparent").split("-", -1)[1];
        assertThat(span(trace, "POST /workspaces/:id/a2a", SPAN_KIND_SERVER).parentId())
                .isEmpty();
    }

    @Test
    void a_message_that_waited_for_a_busy_agent_comes_with_the_trace_of_its_sender() {
        List<String> traces = new CopyOnWriteArrayList<>();
        var busy = proxy.platform.workspaceAt(ProxyUnderTest.urlOf(ProxyUnderTest.serve(outside, request -> {
            traces.add(String.join(" ", request.headers().getAll("traceparent")));
            if (traces.size() == 1) {
                request.response().setStatusCode(429).end();
            } else {
                answer(request);
            }
        })));
        String trace = freshTrace();

        assertThat(proxy.send(busy, HELLO, "traceparent", traceparent(trace)).statusCode())
                .isEqualTo(202);

        await().until(() -> {
            proxy.platform.bus.publish(DrainQueue.HINT, new DrainQueue(busy));
            return traces.size() == 2;
        });
        var request = span(trace, "POST /workspaces/:id/a2a", SPAN_KIND_SERVER);
        assertThat(traces.getLast()).isEqualTo("00-" + trace + "-" + request.spanId() + "-01");
    }

    @Test
    void a_delegation_comes_with_the_trace_in_which_it_was_given() {
        var source = proxy.platform.workspaceAt("http://127.0.0.1:1/");
        proxy.platform.mayTalk(source, agent);
        String token = proxy.platform.tokenOf(source);
        String trace = freshTrace();
        received = MultiMap.caseInsensitiveMultiMap();

        proxy.post(
                "/workspaces/" + source + "/delegate",
                "{\"target_id\":\"%s\",\"task\":\"sum\"}".formatted(agent),
                "Authorization",
                "Bearer " + token,
                "traceparent",
                traceparent(trace));

        var request = span(trace, "POST /workspaces/:id/delegate", SPAN_KIND_SERVER);
        await().untilAsserted(() -> assertThat(received.getAll("traceparent"))
                .containsExactly("00-" + trace + "-" + request.spanId() + "-01"));
    }

    @Test
    void what_an_agent_says_it_did_is_sent_on_as_its_own_and_only_what_it_may_say() {
        String trace = freshTrace();
        String token = proxy.platform.tokenOf(agent);
        long now = System.currentTimeMillis();
        String span = """
                {"traceId":"%s","spanId":"%s","parentSpanId":"%s","name":"%s","kind":1,
                 "startTimeUnixNano":"%d000000","endTimeUnixNano":"%d000000","status":{"code":2},
                 "attributes":[{"key":"gen_ai.tool.name","value":{"stringValue":"run"}},
                  {"key":"gen_ai.usage.input_tokens","value":{"intValue":"7"}},
                  {"key":"service.name","value":{"stringValue":"registry-service"}},
                  {"key":"gen_ai.prompt","value":{"stringValue":"a secret"}}]}""";
        String told = "{\"resourceSpans\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\",\"value\":"
                + "{\"stringValue\":\"registry-service\"}}]},\"scopeSpans\":[{\"spans\":["
                + span.formatted(trace, "00000000000000a1", CALLERS_SPAN, "execute_tool run", now - 5, now) + ","
                + span.formatted(trace, "no id", CALLERS_SPAN, "refused", now - 5, now) + ","
                + span.formatted(trace, "00000000000000a2", "", "refused too", 0, now) + "]}]}]}";

        var answer = proxy.post("/v1/traces", told, "Authorization", "Bearer " + token);
        var nobodys = proxy.post("/v1/traces", told);
        var nonsense = proxy.post("/v1/traces", "{\"resourceSpans\":7}", "Authorization", "Bearer " + token);

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.bodyAsJsonObject().getJsonObject("partialSuccess").getString("rejectedSpans"))
                .isEqualTo("2");
        assertThat(nobodys.statusCode()).isEqualTo(401);
        assertThat(nonsense.statusCode()).isEqualTo(400);
        var sent = span(trace, "execute_tool run", Span.SpanKind.SPAN_KIND_INTERNAL);
        assertThat(sent.service()).isEqualTo("molecule-agent");
        assertThat(sent.parentId()).isEqualTo(CALLERS_SPAN);
        assertThat(sent.failed()).isTrue();
        assertThat(sent.attributes())
                .containsOnly(Map.entry("gen_ai.tool.name", "run"), Map.entry("gen_ai.usage.input_tokens", "7"));
        assertThat(collector.spans.stream().filter(each -> each.traceId().equals(trace)))
                .hasSize(1);
    }

    @Test
    void a_trace_that_its_caller_does_not_sample_is_not_exported_but_goes_on() {
        String trace = freshTrace();
        proxy.send(agent, HELLO, "traceparent", traceparent(trace).replaceAll("01$", "00"));
        String following = freshTrace();
        proxy.send(agent, HELLO, "traceparent", traceparent(following));

        span(following, "POST agent", SPAN_KIND_CLIENT);
        assertThat(collector.spans).extracting(Exported::traceId).doesNotContain(trace);
    }

    @Test
    void requests_that_share_an_answer_keep_their_own_traces() {
        var sending = IntStream.range(0, 40)
                .mapToObj(i -> proxy.client
                        .post("/workspaces/" + agent + "/a2a")
                        .putHeader("traceparent", "00-%032x-%016x-01".formatted(i + 1, i + 1))
                        .putHeader("X-Request-Id", "" + (i + 1))
                        .sendBuffer(Buffer.buffer(HELLO.replace("m-1", "m-" + i))))
                .toList();
        Future.all(sending).await();

        assertThat(seen)
                .hasSize(40)
                .allSatisfy((id, traceparent) ->
                        assertThat(traceparent).startsWith("00-%032x-".formatted(Integer.parseInt(id))));
    }

    @Test
    void the_owner_behind_the_front_door_goes_on_with_the_trace() {
        String trace = freshTrace();
        proxy.client
                .get("/workspaces")
                .putHeader("traceparent", traceparent(trace))
                .send()
                .await();

        var passed = span(trace, "GET /workspaces", SPAN_KIND_CLIENT);
        assertThat(received.getAll("traceparent")).containsExactly("00-" + trace + "-" + passed.spanId() + "-01");
    }

    @Test
    void nothing_that_was_said_leaves_in_a_span() {
        String trace = freshTrace();
        var other = UUID.randomUUID();
        proxy.client
                .get("/workspaces/" + other + "?ticket=t0p-secret")
                .putHeader("Authorization", "Bearer t0p-secret")
                .putHeader("traceparent", traceparent(trace))
                .send()
                .await();
        proxy.send(agent, HELLO.replace("hello", "t0p-secret"), "traceparent", traceparent(trace));

        span(trace, "GET /workspaces/:id", SPAN_KIND_CLIENT);
        span(trace, "POST agent", SPAN_KIND_CLIENT);
        span(trace, "POST /workspaces/:id/a2a", SPAN_KIND_SERVER);
        assertThat(collector.spans)
                .extracting(Exported::whole)
                .noneMatch(text -> text.contains("t0p-secret") || text.contains(other.toString()));
        assertThat(collector.spans)
                .flatExtracting(span -> span.attributes().keySet())
                .doesNotContain("url.full", "url.path", "url.query", "http.url", "db.user");
    }

    @Test
    void probes_and_event_streams_make_no_trace_and_the_callers_own_passes_unchanged() {
        String trace = freshTrace();
        for (String path : List.of("/health", "/ready", "/metrics", "/workspaces/" + agent + "/events/stream")) {
            proxy.client
                    .get(path)
                    .putHeader("traceparent", traceparent(trace))
                    .send()
                    .await();
        }
        assertThat(received.getAll("traceparent")).containsExactly(traceparent(trace));
        String following = freshTrace();
        proxy.client
                .get("/nowhere")
                .putHeader("traceparent", traceparent(following))
                .send()
                .await();

        span(following, "GET", SPAN_KIND_SERVER);
        assertThat(collector.spans).extracting(Exported::traceId).doesNotContain(trace);
    }

    @Test
    void an_agent_that_cannot_be_reached_is_an_error_and_a_callers_own_mistake_is_none() {
        String unreached = freshTrace();
        String mistaken = freshTrace();
        var gone = proxy.platform.workspaceAt("http://127.0.0.1:1/");

        proxy.send(gone, HELLO, "traceparent", traceparent(unreached));
        proxy.send(agent, "{", "traceparent", traceparent(mistaken));

        var failed = span(unreached, "POST /workspaces/:id/a2a", SPAN_KIND_SERVER);
        assertThat(failed.attributes()).containsEntry("http.response.status_code", "502");
        assertThat(failed.failed()).isTrue();
        var refused = span(mistaken, "POST /workspaces/:id/a2a", SPAN_KIND_SERVER);
        assertThat(refused.attributes()).containsEntry("http.response.status_code", "400");
        assertThat(refused.failed()).isFalse();
    }

    @Test
    void a_collector_that_is_away_or_never_answers_harms_nobody() throws Exception {
        for (String endpoint : new String[] {"http://127.0.0.1:1", hanging()}) {
            var deaf = Tracing.begin(
                    TraceCollector.configFor(
                            endpoint, "OTEL_BSP_MAX_QUEUE_SIZE", "10", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "10"),
                    "proxy-service");
            var traced = deaf.over(Vertx.builder()).build();
            var other = ProxyUnderTest.start(traced);
            var target = other.platform.workspaceAt(ProxyUnderTest.urlOf(ProxyUnderTest.serve(outside, this::answer)));

            for (int i = 0; i < 30; i++) {
                assertThat(ProxyUnderTest.seen(other.send(target, HELLO))).startsWith("200 ");
            }

            traced.close().await();
            deaf.end(Duration.ofMillis(200));
        }
    }

    /** Takes what it is sent and says nothing. */
    private String hanging() {
        return ProxyUnderTest.urlOf(ProxyUnderTest.serve(outside, request -> {}));
    }

    private Exported span(String trace, String name, Span.SpanKind kind) {
        await().untilAsserted(() -> assertThat(collector.find(trace, name, kind))
                .as("%s among %s", name, collector.spans)
                .isPresent());
        return collector.find(trace, name, kind).orElseThrow();
    }

    private static String freshTrace() {
        return UUID.randomUUID().toString().replace("-", "");
    }

    /** As a caller says it who samples its trace. */
    private static String traceparent(String trace) {
        return "00-" + trace + "-" + CALLERS_SPAN + "-01";
    }
}
