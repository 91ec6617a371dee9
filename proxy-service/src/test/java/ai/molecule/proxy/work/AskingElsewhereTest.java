package ai.molecule.proxy.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.proxy.AskForWork;
import ai.molecule.common.bus.proxy.WorkAnswers;
import ai.molecule.common.json.Json;
import ai.molecule.proxy.ProxyUnderTest;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A person who asks at a messenger: the agent hears it once, in the conversation it belongs to, and the answer can be had. */
@ExtendWith(VertxExtension.class)
class AskingElsewhereTest {

    @Test
    void the_same_again_is_asked_once_and_its_answer_is_there_when_it_ended(Vertx vertx) {
        var proxy = ProxyUnderTest.start(vertx, "ADMIN_TOKEN", "the-admin-token");
        List<String> contexts = new CopyOnWriteArrayList<>();
        var agent = proxy.agent(request -> request.body().onSuccess(body -> {
            contexts.add(
                    Json.stored(body.toString()).at("/params/message/contextId").asText());
            ProxyUnderTest.json(
                    request.response(), "{\"result\":{\"parts\":[{\"kind\":\"text\",\"text\":\"Nothing new.\"}]}}");
        }));
        var id = UUID.randomUUID();
        var asked = new AskForWork(id, agent, "What is new?\nIn short.", "person:kim (telegram)", "chat-1");
        var bus = proxy.platform.bus;

        assertThat(bus.call(AskForWork.CONTRACT, asked).await().fresh()).isTrue();
        assertThat(bus.call(AskForWork.CONTRACT, asked).await().fresh()).isFalse();

        var gone = UUID.randomUUID();
        await().until(() -> bus.call(WorkAnswers.CONTRACT, new WorkAnswers(List.of(id, gone)))
                        .await()
                        .answers()
                        .size()
                == 2);
        assertThat(bus.call(WorkAnswers.CONTRACT, new WorkAnswers(List.of(id, gone)))
                        .await()
                        .answers())
                .containsExactlyInAnyOrder(
                        new WorkAnswers.One(id, "done", "Nothing new."), new WorkAnswers.One(gone, "gone", null));
        assertThat(contexts).containsExactly("chat-1");
        assertThatThrownBy(() -> bus.call(
                                AskForWork.CONTRACT,
                                new AskForWork(UUID.randomUUID(), UUID.randomUUID(), "x", "person:kim", "c"))
                        .await())
                .hasMessageContaining("workspace not found");
    }
}
