package ai.molecule.proxy.a2a;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.auth.Person;
import ai.molecule.common.auth.Role;
import ai.molecule.common.bus.hints.WorkspaceChanged;
import ai.molecule.proxy.ProxyUnderTest;
import ai.molecule.proxy.Reading;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the gateway keeps open ends with what opened it: by each way in which a stream is read, and each way in which its reader's right ends. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EndingWithCredentialsTest {

    private static final String TOLD = "stream ended: its credential may not read it any more";
    private static final String REMEMBER =
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"commit_memory\",\"arguments\":{\"content\":\"c\"}}}";

    /** More than the gateway takes whole before it passes it on. */
    private static final int HALF = 100_000;

    private final Queue<HttpServerResponse> streams = new ConcurrentLinkedQueue<>();
    private final Queue<HttpServerRequest> remembered = new ConcurrentLinkedQueue<>();
    private final Queue<HttpServerResponse> downloads = new ConcurrentLinkedQueue<>();

    @SuppressWarnings("NullAway.Init")
    private Vertx vertx;

    @SuppressWarnings("NullAway.Init")
    private ProxyUnderTest proxy;

    /** How a stream is read. */
    enum Transport {
        MESSAGE_STREAM("", stream("message/stream"), "0.3"),
        RESUBSCRIBE(
                "",
                "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"tasks/resubscribe\",\"params\":{\"id\":\"%s\"}}",
                "0.3"),
        MESSAGE_STREAM_1_0("", stream("SendStreamingMessage"), "1.0"),
        SUBSCRIBE_1_0(
                "", "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"SubscribeToTask\",\"params\":{\"id\":\"%s\"}}", "1.0"),
        HTTP_JSON_STREAM("/message:stream", "{\"message\":" + message() + "}", "1.0"),
        HTTP_JSON_SUBSCRIBE("/tasks/%s:subscribe", "", "1.0");

        private final String path;
        private final String body;
        private final String version;

        Transport(String path, String body, String version) {
            this.path = path;
            this.body = body;
            this.version = version;
        }

        private boolean comesBack() {
            return body.contains("%s") || path.contains("%s");
        }

        private static String stream(String method) {
            return "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" + method + "\",\"params\":{\"message\":" + message()
                    + "}}";
        }

        private static String message() {
            return "{\"messageId\":\"m\",\"role\":\"ROLE_USER\",\"parts\":[{\"text\":\"hello\"}]}";
        }
    }

    /** How the right of its reader ends. */
    enum Ending {
        TOKEN_OF_AN_AGENT_REVOKED,
        TOKEN_OF_AN_AGENT_THAT_NAMES_ITSELF_BY_IT_ALONE_REVOKED,
        AGENT_QUARANTINED,
        SESSION_OR_TOKEN_OF_A_PERSON_ENDED,
        ROLE_WITHDRAWN,
        ROLE_NARROWED_TO_ANOTHER_BRANCH
    }

    /** Somebody who reads. */
    private record Caller(String bearer, @Nullable UUID agent, boolean named) {

        String[] headers(String version) {
            List<String> headers =
                    new ArrayList<>(List.of("Authorization", "Bearer " + bearer, "A2A-Version", version));
            if (agent != null && named) {
                headers.addAll(List.of("X-Workspace-ID", agent.toString()));
            }
            return headers.toArray(String[]::new);
        }
    }

    @BeforeAll
    void start() {
        vertx = Vertx.vertx();
        var registry = ProxyUnderTest.serve(vertx, remembered::add);
        var provisioner = ProxyUnderTest.serve(vertx, request -> {
            var response = request.response().putHeader("Content-Length", String.valueOf(2 * HALF));
            response.write(Buffer.buffer(new byte[HALF]));
            downloads.add(response);
        });
        proxy = ProxyUnderTest.start(
                vertx,
                "REGISTRY_URL",
                ProxyUnderTest.urlOf(registry),
                "PROVISIONER_URL",
                ProxyUnderTest.urlOf(provisioner),
                "MOLECULE_ENV",
                "production",
                "ADMIN_TOKEN",
                "the admin token of this test");
    }

    @AfterAll
    void stop() {
        vertx.close().await();
    }

    @ParameterizedTest
    @EnumSource
    void a_stream_ends_when_the_token_that_opened_it_is_revoked(Transport transport) throws Exception {
        ends(transport, Ending.TOKEN_OF_AN_AGENT_REVOKED);
    }

    @ParameterizedTest
    @EnumSource
    void a_stream_ends_when_the_role_of_the_person_who_reads_it_is_withdrawn(Transport transport) throws Exception {
        ends(transport, Ending.ROLE_WITHDRAWN);
    }

    @ParameterizedTest
    @EnumSource
    void a_stream_ends_with_each_right_that_opened_it(Ending ending) throws Exception {
        ends(Transport.MESSAGE_STREAM, ending);
    }

    @Test
    void a_stream_goes_on_for_a_person_who_may_still_look() throws Exception {
        var target = agent();
        var reader = person(target);
        var reading = read(Transport.MESSAGE_STREAM, target, reader, "t-" + UUID.randomUUID());

        proxy.platform.person(reader.bearer, somebody(null, Role.VIEWER, List.of(target)), target);
        say(UUID.randomUUID().toString(), "still-working");

        await().until(() -> reading.soFar().contains("still-working"));
        assertThat(reading.end).isNotDone();
        reading.leave();
    }

    @Test
    void a_call_over_mcp_ends_when_its_token_is_revoked() {
        var workspace = proxy.platform.workspaceAt("http://127.0.0.1:1");
        String token = proxy.platform.tokenOf(workspace);
        var call = proxy.client
                .post("/workspaces/" + workspace + "/mcp")
                .putHeader("Authorization", "Bearer " + token)
                .sendBuffer(Buffer.buffer(REMEMBER));
        await().until(() -> !remembered.isEmpty());

        proxy.platform.revoke(token);

        await().until(call::isComplete);
        assertThat(call.failed()).isTrue();
    }

    /** It is an answer that comes whole: its reader had the right when it asked. A stream of the same person says when that is over. */
    @Test
    void a_download_that_began_goes_on_to_its_end() throws Exception {
        var target = agent();
        var reader = person(target);
        var stream = read(Transport.MESSAGE_STREAM, target, reader, "t-" + UUID.randomUUID());
        var download = proxy.client
                .get("/workspaces/" + target + "/chat/download?path=/workspace/report.pdf")
                .putHeader("Authorization", "Bearer " + reader.bearer)
                .send();
        await().until(() -> !downloads.isEmpty());

        proxy.platform.person(reader.bearer, null, target);
        assertThat(stream.end.get(1, TimeUnit.MINUTES)).contains(TOLD);
        downloads.element().end(Buffer.buffer(new byte[HALF]));

        assertThat(download.await().body().length()).isEqualTo(2 * HALF);
    }

    private void ends(Transport transport, Ending ending) throws Exception {
        var target = agent();
        var reader =
                switch (ending) {
                    case TOKEN_OF_AN_AGENT_REVOKED, AGENT_QUARANTINED -> peer(target, true);
                    case TOKEN_OF_AN_AGENT_THAT_NAMES_ITSELF_BY_IT_ALONE_REVOKED -> peer(target, false);
                    case SESSION_OR_TOKEN_OF_A_PERSON_ENDED, ROLE_WITHDRAWN, ROLE_NARROWED_TO_ANOTHER_BRANCH ->
                        person(target);
                };
        var reading = read(transport, target, reader, "t-" + UUID.randomUUID());

        switch (ending) {
            case TOKEN_OF_AN_AGENT_REVOKED, TOKEN_OF_AN_AGENT_THAT_NAMES_ITSELF_BY_IT_ALONE_REVOKED ->
                proxy.platform.revoke(reader.bearer);
            case AGENT_QUARANTINED -> {
                proxy.platform.quarantine(target);
                proxy.platform.bus.publish(WorkspaceChanged.HINT, new WorkspaceChanged(target, 2));
            }
            case SESSION_OR_TOKEN_OF_A_PERSON_ENDED -> proxy.platform.person(reader.bearer, null, target);
            case ROLE_WITHDRAWN -> proxy.platform.person(reader.bearer, somebody(null, null, List.of()), target);
            case ROLE_NARROWED_TO_ANOTHER_BRANCH ->
                proxy.platform.person(reader.bearer, somebody(null, null, List.of(UUID.randomUUID())), target);
        }

        try {
            assertThat(reading.end.get(1, TimeUnit.MINUTES)).contains(TOLD);
        } catch (TimeoutException late) {
            throw new AssertionError("the stream goes on: " + reading.soFar(), late);
        } catch (ExecutionException cut) {
            throw new AssertionError("the stream was cut and told nothing: " + reading.soFar(), cut);
        }
        assertThat(read(transport, target, reader).response.statusCode()).isBetween(400, 499);
    }

    /** A stream of which something was read. */
    private Reading read(Transport transport, UUID target, Caller reader, String task) {
        streams.clear();
        if (transport.comesBack()) {
            read(Transport.MESSAGE_STREAM, target, reader);
            say(task, "working");
        }
        var reading = read(transport, target, reader, "", task);
        if (!transport.comesBack()) {
            say(task, "working");
        }
        await().atMost(Duration.ofSeconds(30))
                .until(() -> reading.soFar().toLowerCase(Locale.ROOT).contains("working"));
        return reading;
    }

    private Reading read(Transport transport, UUID target, Caller reader) {
        return read(transport, target, reader, "", "t-none");
    }

    private Reading read(Transport transport, UUID target, Caller reader, String more, String task) {
        return Reading.of(
                vertx,
                HttpMethod.POST,
                proxy.port,
                "/workspaces/" + target + "/a2a" + transport.path.replace("%s", task) + more,
                transport.body.replace("%s", task),
                reader.headers(transport.version));
    }

    private Caller peer(UUID target, boolean named) {
        var agent = proxy.platform.workspaceAt("http://127.0.0.1:1");
        proxy.platform.mayTalk(agent, target);
        return new Caller(proxy.platform.tokenOf(agent), agent, named);
    }

    private Caller person(UUID target) {
        String bearer = "bearer-" + UUID.randomUUID();
        proxy.platform.person(bearer, somebody(null, Role.OPERATOR, List.of(target)), target);
        return new Caller(bearer, null, false);
    }

    private static Person somebody(@Nullable Role organisation, @Nullable Role there, List<UUID> branches) {
        return new Person(UUID.randomUUID(), "kim", "Kim", organisation, there, branches, "token:abcdefgh");
    }

    private UUID agent() {
        return proxy.agent(request -> request.body().onSuccess(body -> {
            if (request.method() != HttpMethod.POST) {
                request.response().setStatusCode(404).end();
                return;
            }
            var response = request.response().setChunked(true).putHeader("Content-Type", "text/event-stream");
            response.writeHead();
            streams.add(response);
        }));
    }

    private void say(String task, String state) {
        await().until(() -> !streams.isEmpty());
        streams.element()
                .write("data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"kind\":\"status-update\",\"taskId\":\"" + task
                        + "\",\"contextId\":\"c-1\",\"status\":{\"state\":\"" + state + "\"},\"final\":false}}\n\n");
    }
}
