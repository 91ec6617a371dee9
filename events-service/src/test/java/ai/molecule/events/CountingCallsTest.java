package ai.molecule.events;

import static ai.molecule.events.ActivityFixture.row;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.bus.events.CallsSince;
import ai.molecule.common.bus.events.CallsSince.Alike;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** {@link CallsSince}: who called whom, and how often. */
@ExtendWith(VertxExtension.class)
class CountingCallsTest {

    private static final Instant NOW = Instant.now().truncatedTo(ChronoUnit.MICROS);

    @SuppressWarnings("NullAway.Init")
    private EventsFixture service;

    @SuppressWarnings("NullAway.Init")
    private UUID agent;

    @SuppressWarnings("NullAway.Init")
    private UUID peer;

    @BeforeEach
    void start(Vertx vertx) {
        service = EventsFixture.start(vertx);
        agent = service.organisation.add("agent", null);
        peer = service.organisation.add("writer", null);
    }

    @Test
    void calls_alike_are_counted_and_those_before_and_to_oneself_are_not() {
        called(peer, "message/send", NOW.minusSeconds(20));
        called(peer, "message/send", NOW.minusSeconds(10));
        called(null, "message/stream", NOW.minusSeconds(5));
        called(agent, "message/send", NOW.minusSeconds(5));
        called(peer, "tasks/get", NOW.minus(Duration.ofDays(2)));

        var calls = service.bus
                .call(CallsSince.CONTRACT, new CallsSince(NOW.minus(Duration.ofDays(1))))
                .await();

        assertThat(calls.calls())
                .containsExactly(
                        new Alike(null, agent, "message/stream", 1, NOW.minusSeconds(5)),
                        new Alike(peer, agent, "message/send", 2, NOW.minusSeconds(10)));
        assertThat(calls.more()).isFalse();
    }

    private void called(@Nullable UUID caller, String method, Instant at) {
        service.append(List.of(row(UUID.randomUUID(), agent, caller, method, "said", null, null, at)))
                .await();
    }
}
