package ai.molecule.registry.liveness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.hints.Reconcile;
import ai.molecule.common.db.Session;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.registry.lifecycle.Announcements;
import ai.molecule.registry.liveness.PgLivenessStore.Limits;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who is taken offline and who is not, with a clock that is moved by hand. */
@ExtendWith(VertxExtension.class)
@SuppressWarnings("NullAway.Init")
class FallingSilentTest {

    private static final Duration TTL = Duration.ofSeconds(60);
    private static final Duration EXTERNAL_TTL = Duration.ofSeconds(90);
    private static final Duration STEP = Duration.ofSeconds(4);

    private final List<Session> sessions = new ArrayList<>();
    private final List<UUID> poked = new CopyOnWriteArrayList<>();
    private SilentOrganisation org;
    private ServiceContext service;
    private LivenessSweep sweep;

    @BeforeEach
    void open(Vertx vertx) {
        org = new SilentOrganisation(vertx);
        service = org.service;
        service.bus().listen(Reconcile.HINT, hint -> poked.add(hint.workspaceId()));
        sweep = newSweep();
    }

    @AfterEach
    void close() {
        sessions.forEach(session -> session.close().await());
        service.close().await();
    }

    @Test
    void an_agent_silent_for_the_ttl_is_offline_with_one_event_and_ours_are_reconciled() {
        var ours = org.workspace("online", "langgraph", "http://127.0.0.1:1");
        var byHand = org.workspace("degraded", "langgraph", null);

        pass(Duration.ofSeconds(56));
        assertThat(org.status(ours)).isEqualTo("online");
        pass(Duration.ofSeconds(8));

        assertThat(org.status(ours)).isEqualTo("offline");
        assertThat(org.status(byHand)).isEqualTo("offline");
        pass(Duration.ofSeconds(30));
        assertThat(org.events(ours)).containsExactly("WORKSPACE_OFFLINE offline");
        assertThat(org.suspected()).containsExactly(ours);
        await().untilAsserted(() -> assertThat(poked).containsExactly(ours));
    }

    @Test
    void one_that_heartbeats_lives_and_others_in_other_statuses_are_left_alone() {
        var alive = org.workspace("online", "langgraph", null);
        var starting = org.workspace("provisioning", "langgraph", null);
        var paused = org.workspace("paused", "langgraph", null);

        for (int i = 0; i < 10; i++) {
            pass(Duration.ofSeconds(20));
            org.beat(alive);
        }

        assertThat(org.status(alive)).isEqualTo("online");
        assertThat(org.status(starting)).isEqualTo("provisioning");
        assertThat(org.status(paused)).isEqualTo("paused");
    }

    @Test
    void an_external_agent_has_ninety_seconds_and_is_never_reconciled() {
        var external = org.workspace("online", "external", null);

        pass(Duration.ofSeconds(80));
        assertThat(org.status(external)).isEqualTo("online");
        pass(Duration.ofSeconds(16));

        assertThat(org.status(external)).isEqualTo("offline");
        assertThat(poked).isEmpty();
    }

    @Test
    void after_start_up_silence_proves_nothing_for_one_ttl() {
        var id = org.workspace("online", "langgraph", null);
        org.advance(Duration.ofDays(1));
        sweep = newSweep();

        pass(Duration.ofSeconds(56));
        assertThat(org.status(id)).isEqualTo("online");
        pass(Duration.ofSeconds(8));
        assertThat(org.status(id)).isEqualTo("offline");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, -1})
    void a_clock_that_jumps_by_an_hour_kills_nobody_who_goes_on_heartbeating_and_the_dead_are_noticed(long hours) {
        var alive = org.workspace("online", "langgraph", null);
        var dead = org.workspace("online", "langgraph", null);
        pass(TTL);
        org.beat(alive);
        org.beat(dead);

        org.advance(Duration.ofHours(hours));
        pass(Duration.ofSeconds(30));
        org.beat(alive);
        assertThat(List.of(org.status(alive), org.status(dead))).containsOnly("online");
        pass(Duration.ofSeconds(40));

        assertThat(org.status(alive)).isEqualTo("online");
        assertThat(org.status(dead)).isEqualTo("offline");
    }

    @Test
    void a_process_that_stood_still_for_a_minute_kills_nobody() {
        var id = org.workspace("online", "langgraph", null);
        pass(TTL);
        org.beat(id);

        org.advance(Duration.ofSeconds(61));
        sweep.run().await();
        assertThat(org.status(id)).isEqualTo("online");
        pass(Duration.ofSeconds(30));
        org.beat(id);
        pass(Duration.ofSeconds(40));

        assertThat(org.status(id)).isEqualTo("online");
    }

    @Test
    void after_the_database_was_away_silence_is_observed_anew() {
        var id = org.workspace("online", "langgraph", null);
        pass(Duration.ofSeconds(56));

        service.pool()
                .query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
                        + " AND datname = current_database()")
                .execute()
                .await();
        pass(Duration.ofSeconds(40));

        assertThat(org.status(id)).isEqualTo("online");
        pass(Duration.ofSeconds(40));
        assertThat(org.status(id)).isEqualTo("offline");
    }

    @Test
    void a_process_that_stood_still_between_its_claim_and_its_look_kills_nobody() {
        var id = org.workspace("online", "langgraph", null);
        pass(TTL);
        org.beat(id);
        var session = service.database().session();
        sessions.add(session);
        var store = new PgLivenessStore(session, Duration.ofSeconds(1));
        var look = store.claim().await();

        org.advance(Duration.ofSeconds(61));

        assertThat(store.takeOffline(new Limits(TTL, TTL), look, 500).await()).isEmpty();
        assertThat(org.status(id)).isEqualTo("online");
        assertThat(store.takeOffline(new Limits(TTL, TTL), store.claim().await(), 500)
                        .await())
                .hasSize(1);
    }

    @Test
    void of_two_replicas_one_sweeps_and_the_other_takes_over_when_it_is_gone() {
        var id = org.workspace("online", "langgraph", null);
        newSweep(Duration.ofHours(1)).run().await();
        var second = newSweep();
        second.run().await();
        step(second, Duration.ofSeconds(64));
        assertThat(org.status(id)).isEqualTo("online");

        // the hour has passed in which the first did not say again that it sweeps
        service.pool()
                .query("UPDATE claims SET until = clock_timestamp()")
                .execute()
                .await();
        await().untilAsserted(() -> {
            second.run().otherwiseEmpty().await();
            assertThat(org.status(id)).isEqualTo("offline");
        });
    }

    private void pass(Duration time) {
        step(sweep, time);
    }

    private void step(LivenessSweep sweeping, Duration time) {
        for (var left = time; left.isPositive(); left = left.minus(STEP)) {
            org.advance(left.compareTo(STEP) < 0 ? left : STEP);
            sweeping.run().otherwiseEmpty().await();
        }
    }

    private LivenessSweep newSweep() {
        return newSweep(Duration.ofSeconds(1));
    }

    private LivenessSweep newSweep(Duration claimedFor) {
        var session = service.database().session();
        sessions.add(session);
        var announcements = new Announcements(service.bus(), service.redis(), TTL);
        return new LivenessSweep(new PgLivenessStore(session, claimedFor), announcements, TTL, EXTERNAL_TTL);
    }
}
