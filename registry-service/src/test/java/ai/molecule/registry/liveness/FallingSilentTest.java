package ai.molecule.registry.liveness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.hints.Reconcile;
import ai.molecule.common.config.PlatformConfig;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.common.testing.TestConfig;
import ai.molecule.registry.MovableClock;
import ai.molecule.registry.lifecycle.Announcements;
import ai.molecule.registry.postgres.PgSession;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Who is taken offline and who is not, with a clock that is moved by hand. */
@ExtendWith(VertxExtension.class)
@SuppressWarnings("NullAway.Init")
class FallingSilentTest {

    private static final Duration TTL = Duration.ofSeconds(60);
    private static final Duration EXTERNAL_TTL = Duration.ofSeconds(90);
    private static final Duration STEP = Duration.ofSeconds(4);

    private final MovableClock clock = new MovableClock();
    private final List<PgSession> sessions = new ArrayList<>();
    private final List<UUID> poked = new CopyOnWriteArrayList<>();
    private Vertx vertx;
    private PlatformConfig platform;
    private ServiceContext service;
    private LivenessSweep sweep;

    @BeforeEach
    void open(Vertx vertx) {
        this.vertx = vertx;
        platform = TestConfig.platform();
        service = ServiceContext.open(vertx, platform, "registry").await();
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
        var ours = workspace("online", "langgraph", "http://127.0.0.1:1");
        var byHand = workspace("degraded", "langgraph", null);

        pass(Duration.ofSeconds(56));
        assertThat(status(ours)).isEqualTo("online");
        pass(Duration.ofSeconds(8));

        assertThat(status(ours)).isEqualTo("offline");
        assertThat(status(byHand)).isEqualTo("offline");
        pass(Duration.ofSeconds(30));
        assertThat(events(ours)).containsExactly("WORKSPACE_OFFLINE offline");
        await().untilAsserted(() -> assertThat(poked).containsExactly(ours));
    }

    @Test
    void one_that_heartbeats_lives_and_others_in_other_statuses_are_left_alone() {
        var alive = workspace("online", "langgraph", null);
        var starting = workspace("provisioning", "langgraph", null);
        var paused = workspace("paused", "langgraph", null);

        for (int i = 0; i < 10; i++) {
            pass(Duration.ofSeconds(20));
            beat(alive);
        }

        assertThat(status(alive)).isEqualTo("online");
        assertThat(status(starting)).isEqualTo("provisioning");
        assertThat(status(paused)).isEqualTo("paused");
    }

    @Test
    void an_external_agent_has_ninety_seconds_and_is_never_reconciled() {
        var external = workspace("online", "external", null);

        pass(Duration.ofSeconds(80));
        assertThat(status(external)).isEqualTo("online");
        pass(Duration.ofSeconds(16));

        assertThat(status(external)).isEqualTo("offline");
        assertThat(poked).isEmpty();
    }

    @Test
    void after_start_up_silence_proves_nothing_for_one_ttl() {
        var id = workspace("online", "langgraph", null);
        clock.advance(Duration.ofDays(1));
        sweep = newSweep();

        pass(Duration.ofSeconds(56));
        assertThat(status(id)).isEqualTo("online");
        pass(Duration.ofSeconds(8));
        assertThat(status(id)).isEqualTo("offline");
    }

    @Test
    void an_hour_forward_kills_nobody_who_goes_on_heartbeating() {
        var alive = workspace("online", "langgraph", null);
        var dead = workspace("online", "langgraph", null);
        pass(TTL);
        beat(alive);
        beat(dead);

        clock.advance(Duration.ofHours(1));
        pass(Duration.ofSeconds(30));
        beat(alive);
        assertThat(List.of(status(alive), status(dead))).containsOnly("online");
        pass(Duration.ofSeconds(40));

        assertThat(status(alive)).isEqualTo("online");
        assertThat(status(dead)).isEqualTo("offline");
    }

    @Test
    void an_hour_back_kills_nobody_who_goes_on_heartbeating_and_still_notices_the_dead() {
        var alive = workspace("online", "langgraph", null);
        var dead = workspace("online", "langgraph", null);
        pass(TTL);
        beat(alive);
        beat(dead);

        clock.advance(Duration.ofHours(-1));
        pass(Duration.ofSeconds(30));
        beat(alive);
        assertThat(List.of(status(alive), status(dead))).containsOnly("online");
        pass(Duration.ofSeconds(40));

        assertThat(status(alive)).isEqualTo("online");
        assertThat(status(dead)).isEqualTo("offline");
    }

    @Test
    void a_process_that_stood_still_for_a_minute_kills_nobody() {
        var id = workspace("online", "langgraph", null);
        pass(TTL);
        beat(id);

        clock.advance(Duration.ofSeconds(61));
        sweep.run().await();
        assertThat(status(id)).isEqualTo("online");
        pass(Duration.ofSeconds(30));
        beat(id);
        pass(Duration.ofSeconds(40));

        assertThat(status(id)).isEqualTo("online");
    }

    @Test
    void after_the_database_was_away_silence_is_observed_anew() {
        var id = workspace("online", "langgraph", null);
        pass(Duration.ofSeconds(56));

        service.pool()
                .query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
                        + " AND datname = current_database()")
                .execute()
                .await();
        pass(Duration.ofSeconds(40));

        assertThat(status(id)).isEqualTo("online");
        pass(Duration.ofSeconds(40));
        assertThat(status(id)).isEqualTo("offline");
    }

    @Test
    void of_two_replicas_one_sweeps_and_the_other_takes_over_when_it_is_gone() {
        var id = workspace("online", "langgraph", null);
        sweep.run().await();
        var second = newSweep();
        second.run().await();
        step(second, Duration.ofSeconds(64));
        assertThat(status(id)).isEqualTo("online");

        sessions.getFirst().close().await();
        await().untilAsserted(() -> {
            second.run().await();
            assertThat(status(id)).isEqualTo("offline");
        });
    }

    private void pass(Duration time) {
        step(sweep, time);
    }

    private void step(LivenessSweep sweeping, Duration time) {
        for (var left = time; left.isPositive(); left = left.minus(STEP)) {
            clock.advance(left.compareTo(STEP) < 0 ? left : STEP);
            sweeping.run().await();
        }
    }

    private LivenessSweep newSweep() {
        var session = new PgSession(vertx, platform.databaseUrl());
        sessions.add(session);
        var announcements = new Announcements(service.bus(), service.events(), service.redis(), TTL);
        return new LivenessSweep(new PgLivenessStore(session), announcements, clock, TTL, EXTERNAL_TTL);
    }

    private UUID workspace(String status, String runtime, @Nullable String endpoint) {
        var id = UUID.randomUUID();
        var now = clock.instant().atOffset(ZoneOffset.UTC);
        service.pool()
                .preparedQuery("""
                        WITH created AS (
                            INSERT INTO workspaces (id, name, tier, runtime, managed, awareness_namespace, status,
                                status_since, created_at, updated_at, endpoint_url)
                            VALUES ($1, 'w', 1, $2, true, '', $3, $4, $4, $4, $5) RETURNING id
                        )
                        INSERT INTO heartbeats (workspace_id, last_heartbeat_at) SELECT id, $4 FROM created
                        """)
                .execute(Tuple.of(id, runtime, status, now, endpoint))
                .await();
        return id;
    }

    private void beat(UUID id) {
        service.pool()
                .preparedQuery("UPDATE heartbeats SET last_heartbeat_at = $2 WHERE workspace_id = $1")
                .execute(Tuple.of(id, clock.instant().atOffset(ZoneOffset.UTC)))
                .await();
    }

    private String status(UUID id) {
        return service.pool()
                .preparedQuery("SELECT status FROM workspaces WHERE id = $1")
                .execute(Tuple.of(id))
                .await()
                .iterator()
                .next()
                .getString(0);
    }

    private List<String> events(UUID id) {
        return service
                .pool()
                .preparedQuery(
                        "SELECT event_type || ' ' || (payload->>'status') FROM log.events WHERE workspace_id = $1 ORDER BY id")
                .execute(Tuple.of(id))
                .await()
                .stream()
                .map(row -> row.getString(0))
                .toList();
    }
}
