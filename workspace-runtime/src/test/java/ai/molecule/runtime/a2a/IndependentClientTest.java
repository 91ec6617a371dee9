package ai.molecule.runtime.a2a;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.a2a.A2A;
import io.a2a.client.Client;
import io.a2a.client.ClientEvent;
import io.a2a.client.TaskEvent;
import io.a2a.client.TaskUpdateEvent;
import io.a2a.client.config.ClientConfig;
import io.a2a.client.transport.jsonrpc.JSONRPCTransport;
import io.a2a.client.transport.jsonrpc.JSONRPCTransportConfig;
import io.a2a.spec.AgentCard;
import io.a2a.spec.Artifact;
import io.a2a.spec.Message;
import io.a2a.spec.Task;
import io.a2a.spec.TaskIdParams;
import io.a2a.spec.TaskNotCancelableError;
import io.a2a.spec.TaskNotFoundError;
import io.a2a.spec.TaskQueryParams;
import io.a2a.spec.TaskState;
import io.a2a.spec.TextPart;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Somebody else's Java client gets along with this agent. */
class IndependentClientTest {

    private static final Set<TaskState> ENDS =
            Set.of(TaskState.COMPLETED, TaskState.CANCELED, TaskState.FAILED, TaskState.INPUT_REQUIRED);

    @RegisterExtension
    private final AgentUnderTest agent = new AgentUnderTest();

    private final List<ClientEvent> events = new CopyOnWriteArrayList<>();

    @Test
    void it_reads_the_card() throws Exception {
        AgentCard card = A2A.getAgentCard(agent.url("").toString());

        assertThat(card.name()).isEqualTo("Scripted");
        assertThat(card.protocolVersion()).isEqualTo("0.3.0");
        assertThat(card.capabilities().streaming()).isTrue();
        assertThat(card.capabilities().pushNotifications()).isFalse();
        assertThat(card.skills())
                .singleElement()
                .satisfies(skill -> assertThat(skill.id()).isEqualTo("scripted"));
    }

    @Test
    void it_sends_and_waits() throws Exception {
        Task task = send(client(false, false), A2A.toUserMessage("hi", "m1"));

        assertThat(task.getStatus().state()).isEqualTo(TaskState.COMPLETED);
        assertThat(text(task)).isEqualTo("done: hi");
        assertThat(task.getHistory())
                .singleElement()
                .satisfies(message -> assertThat(message.getMessageId()).isEqualTo("m1"));
    }

    @Test
    void it_streams() throws Exception {
        Task task = send(client(true, false), A2A.toUserMessage("flood", "m1"));

        assertThat(task.getStatus().state()).isEqualTo(TaskState.COMPLETED);
        assertThat(text(task)).hasSize(ScriptedExecutor.FLOOD_CHUNKS * ScriptedExecutor.FLOOD_CHUNK.length());
        assertThat(events.getFirst()).isInstanceOf(TaskEvent.class);
        assertThat(events).hasSizeGreaterThan(ScriptedExecutor.FLOOD_CHUNKS);
    }

    @Test
    void it_answers_what_it_is_asked() throws Exception {
        Client client = client(false, false);
        Task asking = send(client, A2A.toUserMessage("question", "m1"));
        assertThat(asking.getStatus().state()).isEqualTo(TaskState.INPUT_REQUIRED);
        events.clear();

        Task answered = send(
                client,
                new Message.Builder()
                        .role(Message.Role.USER)
                        .parts(new TextPart("that one"))
                        .messageId("m2")
                        .taskId(asking.getId())
                        .contextId(asking.getContextId())
                        .build());

        assertThat(answered.getId()).isEqualTo(asking.getId());
        assertThat(answered.getStatus().state()).isEqualTo(TaskState.COMPLETED);
        assertThat(answered.getHistory()).hasSize(3);
    }

    @Test
    void it_begins_follows_and_cancels() throws Exception {
        Client polling = client(false, true);
        polling.sendMessage(A2A.toUserMessage("wait", "m1"));
        await().until(() -> !events.isEmpty());
        String id = ((TaskEvent) events.getFirst()).getTask().getId();
        events.clear();
        client(true, false).resubscribe(new TaskIdParams(id));
        await().until(() -> !events.isEmpty());

        Task canceled = polling.cancelTask(new TaskIdParams(id));

        assertThat(canceled.getStatus().state()).isEqualTo(TaskState.CANCELED);
        await().until(() -> events.stream().anyMatch(IndependentClientTest::ends));
        await().until(() -> agent.executor.interrupted.get() == 1);
        assertThat(polling.getTask(new TaskQueryParams(id)).getStatus().state()).isEqualTo(TaskState.CANCELED);
        assertThatThrownBy(() -> polling.cancelTask(new TaskIdParams(id)))
                .rootCause()
                .isInstanceOf(TaskNotCancelableError.class);
    }

    @Test
    void it_understands_that_a_task_is_not_known() throws Exception {
        Client client = client(false, false);

        assertThatThrownBy(() -> client.getTask(new TaskQueryParams("nowhere")))
                .rootCause()
                .isInstanceOf(TaskNotFoundError.class);
    }

    private Client client(boolean streaming, boolean polling) throws Exception {
        return Client.builder(A2A.getAgentCard(agent.url("").toString()))
                .clientConfig(new ClientConfig.Builder()
                        .setStreaming(streaming)
                        .setPolling(polling)
                        .build())
                .withTransport(JSONRPCTransport.class, new JSONRPCTransportConfig())
                .addConsumer((event, card) -> events.add(event))
                .streamingErrorHandler(closed -> {})
                .build();
    }

    private Task send(Client client, Message message) throws Exception {
        client.sendMessage(message);
        await().until(() -> events.stream().anyMatch(IndependentClientTest::ends));
        return task(events.getLast());
    }

    private static boolean ends(ClientEvent event) {
        return ENDS.contains(task(event).getStatus().state());
    }

    private static Task task(ClientEvent event) {
        return switch (event) {
            case TaskEvent whole -> whole.getTask();
            case TaskUpdateEvent update -> update.getTask();
            default -> throw new AssertionError("neither a task nor its update: " + event);
        };
    }

    private static String text(Task task) {
        return task.getArtifacts().stream()
                .map(Artifact::parts)
                .flatMap(List::stream)
                .map(part -> ((TextPart) part).getText())
                .collect(Collectors.joining());
    }
}
