package ai.molecule.registry.freeze;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.registry.SetDesired;
import ai.molecule.common.bus.registry.SetDesired.Action;
import ai.molecule.common.db.Session;
import ai.molecule.registry.lifecycle.Announcements;
import ai.molecule.registry.lifecycle.LifecycleService;
import ai.molecule.registry.lifecycle.PgLifecycleStore;
import ai.molecule.registry.liveness.PgLivenessStore;
import ai.molecule.registry.liveness.PgLivenessStore.Limits;
import ai.molecule.registry.liveness.SilentOrganisation;
import ai.molecule.registry.tokens.PgTokenStore;
import ai.molecule.registry.tokens.TokenService;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Many die at once. */
@ExtendWith(VertxExtension.class)
@SuppressWarnings("NullAway.Init")
class FreezingRestartsTest {

    private SilentOrganisation org;
    private Session session;
    private @Nullable String says;
    private RestartFreeze freeze;
    private LifecycleService lifecycle;
    private boolean well = true;

    @BeforeEach
    void open(Vertx vertx) {
        org = new SilentOrganisation(vertx);
        var service = org.service;
        session = service.database().session();
        freeze = new RestartFreeze(new PgFreezeStore(service.database()), () -> Future.succeededFuture(well));
        var bus = new Bus(vertx);
        lifecycle = new LifecycleService(
                new PgLifecycleStore(service.database()),
                new TokenService(new PgTokenStore(service.database()), bus, org.clock),
                new Announcements(bus, service.redis(), Duration.ofSeconds(60)),
                freeze,
                org.clock);
    }

    @AfterEach
    void close() {
        session.close().await();
        org.service.close().await();
    }

    @Test
    void automatic_restarts_wait_until_the_platform_was_well_and_a_person_is_never_kept_waiting() {
        // Given
        var dead = die(20);
        var froze = freeze.run().await();
        assertThat(froze.says()).contains("automatic restarts are frozen", "20 died");
        assertThat(froze.ok()).isFalse();

        // When
        assertThatThrownBy(() -> restart(dead, 1))
                .hasMessage("automatic restarts are frozen after many deaths at once");
        assertThat(restart(dead, null)).isEqualTo(1);
        well = false;
        pass(20);
        assertThatThrownBy(() -> restart(dead, 2)).hasMessageContaining("frozen");
        well = true;
        pass(7);
        assertThatThrownBy(() -> restart(dead, 2)).hasMessageContaining("frozen");
        assertThat(says).contains("the engine is well, and no agent was heard since");
        assertThat(freeze.run().await().ok()).isFalse();
        org.beat(dead);
        pass(2);

        // Then
        assertThat(restart(dead, 2)).isEqualTo(1);
        assertThat(says).isNull();
        assertThat(freeze.run().await().ok()).isTrue();
    }

    @Test
    void where_nobody_is_left_to_be_heard_one_restart_a_minute_is_let_through_until_somebody_is() {
        var dead = die(20);
        var another = org.workspace("offline", "langgraph", null);
        freeze.run().await();
        pass(70);

        assertThat(restart(dead, 1)).isEqualTo(1);
        assertThatThrownBy(() -> restart(another, 1)).hasMessageContaining("frozen");
        pass(60);
        assertThat(restart(another, 1)).isEqualTo(1);
        org.beat(dead);
        pass(1);
        assertThat(restart(dead, 2)).isEqualTo(1);
    }

    @Test
    void the_first_restart_after_the_deaths_is_refused_before_the_freeze_is_written_down() {
        var dead = die(20);

        assertThatThrownBy(() -> restart(dead, 1)).hasMessageContaining("frozen");
    }

    @Test
    void as_many_deaths_freeze_nothing_among_many_more_living_or_spread_over_minutes() {
        die(15);
        org.advance(Duration.ofSeconds(61));
        var dead = die(15);
        assertThat(restart(dead, 1)).isEqualTo(1);
        org.advance(Duration.ofSeconds(61));
        IntStream.range(0, 130).forEach(i -> org.workspace("online", "langgraph", null));

        var another = dieAmongTheLiving(20);

        assertThat(restart(another, 1)).isEqualTo(1);
    }

    /** All who live fall silent. */
    private UUID die(int count) {
        IntStream.range(1, count).forEach(i -> org.workspace("online", "langgraph", null));
        var last = org.workspace("online", "langgraph", null);
        org.advance(Duration.ofSeconds(1));
        assertThat(silence()).isEqualTo(count);
        return last;
    }

    private UUID dieAmongTheLiving(int count) {
        org.sql(
                "UPDATE heartbeats SET last_heartbeat_at = $1",
                org.clock.instant().plusSeconds(60).atOffset(java.time.ZoneOffset.UTC));
        UUID last = null;
        for (int i = 0; i < count; i++) {
            last = org.workspace("online", "langgraph", null);
        }
        org.advance(Duration.ofSeconds(1));
        assertThat(silence()).isEqualTo(count);
        return java.util.Objects.requireNonNull(last);
    }

    private int silence() {
        var store = new PgLivenessStore(session, Duration.ofSeconds(1));
        var look = store.claim().await();
        var atOnce = new Limits(Duration.ofMillis(500), Duration.ofMillis(500));
        return store.takeOffline(atOnce, look, 500).await().size();
    }

    private void pass(int seconds) {
        for (int i = 0; i < seconds; i++) {
            org.advance(Duration.ofSeconds(1));
            says = freeze.run().await().says();
        }
    }

    private int restart(UUID id, @Nullable Integer expected) {
        return lifecycle
                .setDesired(new SetDesired(id, Action.RESTART, null, expected))
                .await()
                .changed()
                .size();
    }
}
