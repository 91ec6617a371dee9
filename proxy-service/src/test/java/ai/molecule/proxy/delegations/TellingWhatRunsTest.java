package ai.molecule.proxy.delegations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.proxy.RunningWith;
import ai.molecule.common.bus.proxy.TasksAt;
import ai.molecule.proxy.ProxyUnderTest;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.junit5.VertxExtension;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** {@link RunningWith}: what a move of a workspace would come between. */
@ExtendWith(VertxExtension.class)
class TellingWhatRunsTest {

    private static final String WORKING = task("working");
    private static final String DONE = task("completed");

    @Test
    void open_delegations_and_messages_are_told_of_both_sides_once_each_until_they_end(Vertx vertx) {
        var work = Delegating.start(vertx);
        var bus = new Bus(vertx);
        List<HttpServerResponse> held = new CopyOnWriteArrayList<>();
        var known = new AtomicReference<>(WORKING);
        var agent = work.peer((request, body) -> {
            if (Delegating.isLookup(body)) {
                ProxyUnderTest.json(request.response(), Objects.requireNonNull(known.get()));
            } else {
                held.add(request.response());
            }
        });
        work.delegate(agent, "test it all");
        await().until(() -> held.size() == 1);
        work.proxy
                .client
                .post("/workspaces/" + agent + "/a2a")
                .putHeader("X-Workspace-ID", work.source.toString())
                .putHeader("Authorization", "Bearer " + work.token)
                .sendBuffer(
                        Buffer.buffer(
                                "{\"method\":\"message/send\",\"params\":{\"message\":{\"messageId\":\"m-2\",\"role\":\"user\",\"parts\":[{\"kind\":\"text\",\"text\":\"and this\"}]}}}"))
                .onFailure(ended -> {});
        await().until(() -> held.size() == 2);

        for (var asked : List.of(agent, work.source)) {
            await().untilAsserted(() -> assertThat(running(bus, asked))
                    .containsExactlyInAnyOrder("delegation test it all", "message and this"));
        }
        assertThat(running(bus, UUID.randomUUID())).isEmpty();
        var meanwhile = Instant.now();
        assertThat(at(bus, meanwhile, agent)).containsExactly("and this"); // what it began last
        assertThat(at(bus, meanwhile.minusSeconds(3_600), agent)).isEmpty();

        known.set(DONE);
        held.forEach(response -> ProxyUnderTest.json(response, DONE));
        await().untilAsserted(() -> assertThat(running(bus, agent)).isEmpty());
        await().untilAsserted(() -> assertThat(at(bus, Instant.now(), agent)).isEmpty());
        assertThat(at(bus, meanwhile, agent)).containsExactly("and this");
    }

    private static String task(String state) {
        return "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"kind\":\"task\",\"id\":\"t-1\",\"contextId\":\"c-1\",\"status\":{\"state\":\"%s\"}}}"
                .formatted(state);
    }

    private static List<String> running(Bus bus, UUID workspace) {
        return bus.call(RunningWith.CONTRACT, new RunningWith(workspace)).await().running().stream()
                .map(one -> one.kind() + " " + one.preview())
                .toList();
    }

    private static List<String> at(Bus bus, Instant moment, UUID workspace) {
        return bus.call(TasksAt.CONTRACT, new TasksAt(moment)).await().tasks().stream()
                .filter(task -> task.workspaceId().equals(workspace))
                .map(TasksAt.One::preview)
                .toList();
    }
}
