package ai.molecule.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.events.LiveEvent;
import ai.molecule.common.json.Json;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A registry that takes questions and answers none: people go on hearing, agents wait, and what waits for them is bounded. */
@ExtendWith(VertxExtension.class)
class RegistryThatHangsTest {

    @SuppressWarnings("NullAway.Init")
    private EventsFixture service;

    @SuppressWarnings("NullAway.Init")
    private UUID workspace;

    @BeforeEach
    void start(Vertx vertx) {
        service = EventsFixture.start(vertx);
        workspace = service.organisation.add("agent", null);
        service.organisation.hang();
    }

    @Test
    void people_go_on_hearing_and_agents_hear_it_all_in_order_once_it_answers() {
        // Given
        var canvas = service.canvas("");
        var agent = service.agent(workspace, null, "");
        var sent = IntStream.range(0, 20).mapToObj(n -> "EVENT_" + n).toList();

        // When
        sent.forEach(type -> service.live(type, workspace));

        // Then
        await().until(() -> canvas.types().equals(sent));
        assertThat(agent.types()).isEmpty();
        service.organisation.goOn();
        await().until(() -> agent.types().equals(sent));
    }

    @Test
    void an_agent_is_sent_away_rather_than_that_large_events_fill_the_memory() {
        // Given
        var agent = service.agent(workspace, null, "");
        var payload = Json.object().put("response_body", "x".repeat(4 << 20));

        // When
        for (int n = 0; n < 10; n++) {
            new LiveEvent("A2A_RESPONSE", workspace, Instant.now(), payload).publishOn(service.bus);
        }

        // Then
        assertThat(agent.closed.orTimeout(60, TimeUnit.SECONDS).join())
                .isEqualTo("1013 a part of the platform does not answer, reconnect with since");
        assertThat(agent.types()).isEqualTo(List.of());
    }
}
