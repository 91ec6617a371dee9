package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.hints.Reconcile;
import ai.molecule.common.bus.registry.ListManaged;
import ai.molecule.common.bus.registry.RecordEndpoint;
import ai.molecule.common.bus.registry.RestartSoon;
import ai.molecule.common.bus.registry.SetDesired;
import ai.molecule.common.bus.registry.SetDesired.Action;
import ai.molecule.common.redis.RedisStore;
import ai.molecule.common.testing.TestStores;
import ai.molecule.registry.freeze.PgFreezeStore;
import ai.molecule.registry.freeze.RestartFreeze;
import ai.molecule.registry.lifecycle.Announcements;
import ai.molecule.registry.lifecycle.LifecycleService;
import ai.molecule.registry.lifecycle.PgLifecycleStore;
import ai.molecule.registry.restarts.PgRestartStore;
import ai.molecule.registry.restarts.RestartSweep;
import ai.molecule.registry.tokens.PgTokenStore;
import ai.molecule.registry.tokens.TokenService;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A change of secrets makes their agents start anew. The registry's clock stands still, so that nothing becomes due there; {@code
 * sweep} is that of another replica, whose clock the tests move.
 */
class RestartingForSecretsTest {

    private static final MovableClock REGISTRY_CLOCK = new MovableClock();

    @SuppressWarnings("NullAway.Init")
    private static RunningRegistry registry;

    private final MovableClock clock = new MovableClock();
    private final RestartSweep sweep = sweepAt(clock);

    @BeforeAll
    static void start() {
        registry = RunningRegistry.startAt(REGISTRY_CLOCK);
    }

    @AfterAll
    static void stop() {
        registry.close();
    }

    @BeforeEach
    void fromTheBeginning() {
        clock.advance(Duration.between(clock.instant(), REGISTRY_CLOCK.instant()));
        registry.sql("DELETE FROM restart_requests");
        registry.sql("DELETE FROM workspaces");
        registry.sql("DELETE FROM global_secrets");
    }

    @Test
    void a_restart_follows_when_changes_have_paused_for_two_seconds() {
        String id = running("Agent");
        List<UUID> poked = new CopyOnWriteArrayList<>();
        registry.bus.listen(Reconcile.HINT, hint -> poked.add(hint.workspaceId()));
        set(id, "ONE");
        REGISTRY_CLOCK.advance(Duration.ofMillis(1500));
        set(id, "TWO");

        runAfter(Duration.ofMillis(3400));
        assertThat(incarnation(id)).isEqualTo(1);
        runAfter(Duration.ofMillis(100));
        runAfter(Duration.ofMinutes(5));

        assertThat(incarnation(id)).isEqualTo(2);
        assertThat(registry.status(id)).isEqualTo("provisioning");
        await().untilAsserted(() -> assertThat(poked).contains(UUID.fromString(id)));
        assertThat(registry.count("restart_requests")).isZero();
    }

    @Test
    void changes_that_never_pause_do_not_put_it_off_for_ever() {
        String id = running("Agent");
        var first = REGISTRY_CLOCK.instant();
        for (int i = 0; i < 16; i++) {
            set(id, "KEY");
            REGISTRY_CLOCK.advance(Duration.ofMillis(1800));
        }

        var due = registry.sql("SELECT due_at FROM restart_requests").iterator().next();
        assertThat(due.getOffsetDateTime(0).toInstant()).isEqualTo(first.plusSeconds(29)); // 27 + 2
        set(id, "KEY");
        due = registry.sql("SELECT due_at FROM restart_requests").iterator().next();
        assertThat(due.getOffsetDateTime(0).toInstant()).isEqualTo(first.plusSeconds(30));
    }

    @Test
    void every_kind_of_change_asks_for_it() {
        String id = running("Agent");
        set(id, "KEY");
        runAfter(Duration.ofSeconds(2));
        assertThat(incarnation(id)).isEqualTo(2);

        registry.delete("/workspaces/" + id + "/secrets/KEY", ADMIN);
        runAfter(Duration.ofSeconds(2));
        assertThat(incarnation(id)).isEqualTo(3);

        registry.send(HttpMethod.PUT, "/workspaces/" + id + "/model", "{\"model\":\"m\"}", ADMIN);
        runAfter(Duration.ofSeconds(2));
        assertThat(incarnation(id)).isEqualTo(4);

        registry.delete("/workspaces/" + id + "/secrets/UNKNOWN", ADMIN);
        assertThat(registry.count("restart_requests")).isZero();
    }

    @Test
    void another_service_may_ask_for_it() {
        String id = running("Agent");

        assertThat(askFor(id)).isTrue();
        assertThat(askFor(id)).isTrue();
        runAfter(Duration.ofSeconds(2));
        assertThat(incarnation(id)).isEqualTo(2);

        wish(id, Action.PAUSE);
        assertThat(askFor(id)).isFalse();
        assertThat(askFor(UUID.randomUUID().toString())).isFalse();
        assertThat(registry.count("restart_requests")).isZero();
    }

    @Test
    void an_agent_restarted_meanwhile_is_left_alone() {
        String id = running("Agent");
        set(id, "KEY");
        wish(id, Action.RESTART);

        runAfter(Duration.ofSeconds(5));

        assertThat(incarnation(id)).isEqualTo(2);
        assertThat(registry.count("restart_requests")).isZero();
    }

    @Test
    void a_change_during_the_restart_asks_for_another() {
        String id = running("Agent");
        set(id, "KEY");
        runAfter(Duration.ofSeconds(2));
        set(id, "KEY");

        runAfter(Duration.ofSeconds(2));

        assertThat(incarnation(id)).isEqualTo(3);
    }

    @Test
    void an_agent_that_could_not_start_for_want_of_a_secret_is_started() {
        String id = registry.create("Agent");
        registry.sql("UPDATE workspaces SET status = 'failed'");
        set(id, "API_KEY");

        runAfter(Duration.ofSeconds(2));

        assertThat(registry.status(id)).isEqualTo("provisioning");
    }

    @Test
    void those_we_do_not_run_and_those_that_should_not_run_are_not_restarted() {
        String external = registry.create("External", "\"external\":true", "\"url\":\"https://far.example\"");
        String byHand = registry.create("By hand");
        registry.register(byHand, "http://localhost:8001", "{}", null);
        String paused = running("Paused");
        wish(paused, Action.PAUSE);
        String pausedLater = running("Paused later");
        String parent = running("Parent");
        String belowPaused = registry.child("Below", parent);
        Stream.of(external, byHand, paused, pausedLater, belowPaused).forEach(id -> set(id, "KEY"));
        assertThat(registry.count("restart_requests")).isEqualTo(2);
        wish(pausedLater, Action.PAUSE);
        registry.sql("UPDATE workspaces SET status = 'paused' WHERE id = $1", UUID.fromString(parent));

        runAfter(Duration.ofSeconds(2));

        assertThat(incarnations(paused, pausedLater, belowPaused)).containsOnly(1);
        assertThat(registry.status(external)).isEqualTo("online");
        assertThat(registry.see(byHand).path("url").asText()).isEqualTo("http://localhost:8001");
        assertThat(registry.count("restart_requests")).isZero();
    }

    @Test
    void a_global_secret_restarts_all_it_concerns_three_at_a_time() {
        var five = IntStream.range(0, 5).mapToObj(i -> running("Agent " + i)).toList();
        String covered = running("Has its own");
        set(covered, "SHARED");
        registry.sql("DELETE FROM restart_requests");

        registry.post("/settings/secrets", "{\"key\":\"SHARED\",\"value\":\"v\"}", ADMIN);
        runAfter(Duration.ofSeconds(2));
        runAfter(Duration.ofSeconds(1));

        var first = five.stream().filter(id -> incarnation(id) == 2).toList();
        assertThat(first).hasSize(3);
        comesUp(first.getFirst());
        runAfter(Duration.ofSeconds(1));
        assertThat(five.stream().filter(id -> incarnation(id) == 2)).hasSize(4);
        runAfter(Duration.ofSeconds(31)); // those that do not come up keep nobody waiting for ever
        assertThat(incarnations(five.toArray(String[]::new))).containsOnly(2);
        assertThat(incarnation(covered)).isEqualTo(1);
    }

    @Test
    void a_workspaces_own_change_does_not_wait_behind_a_global_one() {
        IntStream.range(0, 4).forEach(i -> running("Agent " + i));
        registry.post("/settings/secrets", "{\"key\":\"SHARED\",\"value\":\"v\"}", ADMIN);
        runAfter(Duration.ofSeconds(2));
        String waiting = registry.sql("SELECT workspace_id::text FROM restart_requests WHERE taken_at IS NULL")
                .iterator()
                .next()
                .getString(0);

        set(waiting, "OWN");
        runAfter(Duration.ofSeconds(2));

        assertThat(incarnation(waiting)).isEqualTo(2);
    }

    @Test
    void what_a_replica_set_out_to_do_when_it_died_is_done_by_another() {
        String id = running("Agent");
        set(id, "KEY");
        clock.advance(Duration.ofSeconds(2));
        assertThat(new PgRestartStore(registry.database).take(clock.instant()).await())
                .hasSize(1);

        runAfter(Duration.ofSeconds(1));
        assertThat(incarnation(id)).isEqualTo(1);
        runAfter(Duration.ofSeconds(30));

        assertThat(incarnation(id)).isEqualTo(2);
    }

    @Test
    void replicas_that_run_at_once_restart_once() {
        String id = running("Agent");
        set(id, "KEY");
        clock.advance(Duration.ofSeconds(2));

        var runs = Stream.generate(() -> sweepAt(clock).run()).limit(4).toList();
        runs.forEach(run -> run.await());

        assertThat(incarnation(id)).isEqualTo(2);
        assertThat(registry.eventTypes(id)).containsOnlyOnce("WORKSPACE_ONLINE").hasSize(3);
    }

    /** As the provisioner leaves it: an endpoint of ours, and an agent that registered. */
    private static String running(String name) {
        String id = registry.create(name);
        comesUp(id);
        return id;
    }

    private static void comesUp(String id) {
        var endpoint = new RecordEndpoint(UUID.fromString(id), incarnation(id), "http://127.0.0.1:1", "http://a:1");
        registry.bus.call(RecordEndpoint.CONTRACT, endpoint).await();
        registry.register(id, "http://127.0.0.1:1", "{}", registry.token(id));
        assertThat(registry.status(id)).isEqualTo("online");
    }

    private static void set(String id, String key) {
        assertThat(registry.post(
                                "/workspaces/" + id + "/secrets",
                                "{\"key\":\"%s\",\"value\":\"v\"}".formatted(key),
                                ADMIN)
                        .status())
                .isEqualTo(200);
    }

    private static void wish(String id, Action action) {
        registry.bus
                .call(SetDesired.CONTRACT, new SetDesired(UUID.fromString(id), action, null, null))
                .await();
    }

    private void runAfter(Duration wait) {
        clock.advance(wait);
        sweep.run().await();
    }

    private static boolean askFor(String id) {
        return registry.bus
                .call(RestartSoon.CONTRACT, new RestartSoon(UUID.fromString(id)))
                .await()
                .restarts();
    }

    private static int incarnation(String id) {
        return registry.bus
                .call(ListManaged.CONTRACT, ListManaged.one(UUID.fromString(id)))
                .await()
                .workspaces()
                .getFirst()
                .incarnation();
    }

    private static List<Integer> incarnations(String... ids) {
        return Stream.of(ids).map(RestartingForSecretsTest::incarnation).toList();
    }

    private static RestartSweep sweepAt(Clock clock) {
        var redis = new RedisStore(registry.vertx, TestStores.redisUrl());
        var announcements = new Announcements(registry.bus, redis, Duration.ofSeconds(60));
        var tokens = new TokenService(new PgTokenStore(registry.database), registry.bus, clock);
        var freeze = new RestartFreeze(new PgFreezeStore(registry.database), () -> Future.succeededFuture(true));
        var lifecycle =
                new LifecycleService(new PgLifecycleStore(registry.database), tokens, announcements, freeze, clock);
        return new RestartSweep(new PgRestartStore(registry.database), lifecycle, clock);
    }
}
