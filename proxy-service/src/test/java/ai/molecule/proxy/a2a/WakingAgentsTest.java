package ai.molecule.proxy.a2a;

import static ai.molecule.common.testing.Records.with;
import static ai.molecule.proxy.ProxyUnderTest.HELLO;
import static ai.molecule.proxy.ProxyUnderTest.json;
import static ai.molecule.proxy.ProxyUnderTest.seen;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.hints.WorkspaceChanged;
import ai.molecule.common.bus.proxy.AtWork;
import ai.molecule.common.bus.registry.WakeWorkspace;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.proxy.ProxyConfig;
import ai.molecule.proxy.ProxyUnderTest;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A message for an agent that sleeps wakes it and waits for it. */
@ExtendWith(VertxExtension.class)
class WakingAgentsTest {

    private static final String DONE = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"done\":true}}";

    private static final String ASKS =
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"kind\":\"task\",\"id\":\"t-1\",\"contextId\":\"c\","
                    + "\"status\":{\"state\":\"input-required\"}}}";

    private static final String STILL =
            "503 {\"error\":\"workspace is waking from hibernation — retry in ~15 seconds\","
                    + "\"waking\":true,\"retry_after\":15}";

    private final List<UUID> woken = new CopyOnWriteArrayList<>();
    private final List<String> messages = new CopyOnWriteArrayList<>();

    private @Nullable ApiError refusal;

    /** Whether whoever is woken gets up. */
    private volatile boolean getsUp = true;

    @SuppressWarnings("NullAway.Init")
    private ProxyUnderTest proxy;

    @SuppressWarnings("NullAway.Init")
    private HttpServer agent;

    @BeforeEach
    void start(Vertx vertx) {
        proxy = ProxyUnderTest.start(
                vertx, config -> patient(config, Duration.ofSeconds(60)), "MOLECULE_ENV", "development");
        agent = ProxyUnderTest.serve(
                vertx,
                request -> request.body().onSuccess(body -> {
                    messages.add(body.toString());
                    json(request.response(), DONE);
                }));
        proxy.platform
                .bus
                .serve(WakeWorkspace.CONTRACT, asked -> {
                    if (refusal != null) {
                        return Future.failedFuture(refusal);
                    }
                    woken.add(asked.workspaceId());
                    if (getsUp) {
                        put(asked.workspaceId(), "", WorkspaceStatus.PROVISIONING);
                        vertx.setTimer(50, up -> rise(asked.workspaceId()));
                    }
                    return Future.succeededFuture(new WakeWorkspace.Woken(true));
                })
                .await();
    }

    @Test
    void many_callers_at_once_wake_it_once_and_each_gets_its_answer() {
        var id = sleeper();

        var answers = IntStream.range(0, 30)
                .mapToObj(i -> proxy.sending(id, HELLO.replace("m-1", "m-" + i)))
                .toList();
        Future.all(answers).await();

        assertThat(answers)
                .allSatisfy(answer -> assertThat(seen(answer.result())).isEqualTo("200 " + DONE));
        assertThat(woken).containsExactly(id);
        assertThat(messages).hasSize(30);
    }

    @Test
    void one_that_another_replica_is_waking_is_waited_for() {
        var id = UUID.randomUUID();
        put(id, "", WorkspaceStatus.HIBERNATED);
        getsUp = false;
        var answer = proxy.sending(id, HELLO);
        await().until(() -> woken.contains(id));

        put(id, "", WorkspaceStatus.PROVISIONING);
        rise(id);

        assertThat(seen(answer.await())).isEqualTo("200 " + DONE);
    }

    @Test
    void who_waited_as_long_as_it_asked_to_is_told_to_come_again_and_finds_it_up_then() {
        var id = sleeper();
        getsUp = false;

        var late = proxy.send(id, HELLO, "X-Timeout", "1");

        assertThat(seen(late)).isEqualTo(STILL);
        assertThat(late.getHeader("Retry-After")).isEqualTo("15");
        assertThat(messages).isEmpty();
        rise(id);
        assertThat(seen(proxy.send(id, HELLO))).isEqualTo("200 " + DONE);
    }

    @Test
    void one_that_does_not_come_up_or_may_not_is_said_to_with_the_reason() {
        var failing = sleeper();
        getsUp = false;
        var answer = proxy.sending(failing, HELLO);
        await().until(() -> woken.contains(failing));
        put(failing, "", WorkspaceStatus.FAILED);

        assertThat(seen(answer.await()))
                .isEqualTo("503 {\"error\":\"workspace did not wake up\",\"status\":\"failed\"}");

        refusal = ApiError.conflict("parent workspace \"Lead\" is paused — resume it first");
        assertThat(seen(proxy.send(sleeper(), HELLO)))
                .isEqualTo("409 {\"error\":\"parent workspace \\\"Lead\\\" is paused — resume it first\"}");
    }

    @Test
    void nobody_is_woken_for_what_it_may_not_pay_or_by_whom_it_may_not_hear() {
        var poor = UUID.randomUUID();
        proxy.platform.put(poor, "", true, WorkspaceStatus.HIBERNATED, true);
        var stranger = proxy.platform.workspaceAt("http://127.0.0.1:1");

        assertThat(proxy.send(poor, HELLO).statusCode()).isEqualTo(402);
        assertThat(proxy.send(
                                sleeper(),
                                HELLO,
                                "X-Workspace-ID",
                                stranger.toString(),
                                "Authorization",
                                "Bearer " + proxy.platform.tokenOf(stranger))
                        .statusCode())
                .isEqualTo(403);

        assertThat(woken).isEmpty();
    }

    @Test
    void one_put_to_sleep_in_the_moment_in_which_it_is_dialled_is_woken_for_what_it_did_not_get(Vertx vertx) {
        var id = UUID.randomUUID();
        var closed = ProxyUnderTest.serve(vertx, request -> {});
        String nowhere = ProxyUnderTest.urlOf(closed);
        closed.close().await();
        put(id, nowhere, WorkspaceStatus.ONLINE);
        proxy.send(id, "no JSON"); // its address is known here
        proxy.platform.put(
                id, "", true, WorkspaceStatus.HIBERNATED, false); // and no hint says that it has none any more

        assertThat(seen(proxy.send(id, HELLO))).isEqualTo("200 " + DONE);
        assertThat(woken).containsExactly(id);
    }

    @Test
    void the_registry_is_told_what_an_agent_is_at() {
        var free = sleeper();
        var asked = proxy.platform
                .bus
                .call(AtWork.CONTRACT, new AtWork(List.of(free), 60))
                .await()
                .workspaces();

        assertThat(asked).containsExactly(new AtWork.One(free, null, null));
        proxy.send(free, HELLO);
        await().untilAsserted(() -> assertThat(atWork(free))
                .satisfies(one -> assertThat(one.why()).isNull())
                .satisfies(one -> assertThat(one.lastAt()).isNotNull()));
        var busy = proxy.agent(request -> request.body().onSuccess(body -> messages.add("held")));
        proxy.sending(busy, HELLO);
        await().until(() -> messages.contains("held"));

        await().untilAsserted(() -> assertThat(atWork(busy).why()).isEqualTo("a message is at it"));
    }

    @Test
    void who_put_a_question_to_a_person_may_sleep_until_it_is_answered() {
        var asks = proxy.agent(
                request -> request.body().onSuccess(body -> request.response().end(ASKS)));

        proxy.send(asks, HELLO);

        await().untilAsserted(() -> assertThat(atWork(asks))
                .satisfies(one -> assertThat(one.lastAt()).isNotNull())
                .satisfies(one -> assertThat(one.why()).isNull()));
    }

    private AtWork.One atWork(UUID id) {
        return proxy.platform
                .bus
                .call(AtWork.CONTRACT, new AtWork(List.of(id), 60))
                .await()
                .workspaces()
                .getFirst();
    }

    private UUID sleeper() {
        var id = UUID.randomUUID();
        put(id, "", WorkspaceStatus.HIBERNATED);
        return id;
    }

    private void rise(UUID id) {
        put(id, ProxyUnderTest.urlOf(agent), WorkspaceStatus.ONLINE);
    }

    private void put(UUID id, String url, WorkspaceStatus status) {
        proxy.platform.put(id, url, true, status, false);
        proxy.platform.bus.publish(WorkspaceChanged.HINT, new WorkspaceChanged(id, 2));
    }

    private static ProxyConfig patient(ProxyConfig config, Duration wait) {
        return with(config, "a2a", with(config.a2a(), "comeBack", wait));
    }
}
