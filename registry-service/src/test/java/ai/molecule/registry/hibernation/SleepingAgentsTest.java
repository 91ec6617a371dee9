package ai.molecule.registry.hibernation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.proxy.AtWork;
import ai.molecule.common.bus.registry.Hibernate;
import ai.molecule.common.bus.registry.ManagedWorkspace.Desired;
import ai.molecule.common.bus.registry.SetDesired;
import ai.molecule.common.bus.registry.SetDesired.Action;
import ai.molecule.common.bus.registry.SetIdleMinutes;
import ai.molecule.common.bus.registry.WakeWorkspace;
import ai.molecule.common.db.Session;
import ai.molecule.common.json.Json;
import ai.molecule.common.leases.RenewalStreak;
import ai.molecule.common.reconcilers.RunReport;
import ai.molecule.registry.freeze.PgFreezeStore;
import ai.molecule.registry.freeze.RestartFreeze;
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
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Who is idle for as long as it may be sleeps, and whoever needs it wakes it. The clocks are the test's. */
@ExtendWith(VertxExtension.class)
@SuppressWarnings("NullAway.Init")
class SleepingAgentsTest {

    private static final String ENDPOINT = "http://127.0.0.1:9";

    private SilentOrganisation org;
    private Session session;
    private Bus bus;
    private LifecycleService lifecycle;
    private HibernationService hibernation;
    private final Map<UUID, AtWork.One> atWork = new ConcurrentHashMap<>();

    @BeforeEach
    void open(Vertx vertx) {
        org = new SilentOrganisation(vertx);
        session = org.service.database().session();
        bus = new Bus(vertx);
        bus.serve(
                        AtWork.CONTRACT,
                        asked -> Future.succeededFuture(new AtWork.Answer(asked.workspaceIds().stream()
                                .map(id -> atWork.getOrDefault(id, new AtWork.One(id, null, null)))
                                .toList())))
                .await();
        lifecycle = new LifecycleService(
                new PgLifecycleStore(org.service.database()),
                new TokenService(new PgTokenStore(org.service.database()), bus, org.clock),
                new Announcements(bus, org.service.redis(), Duration.ofSeconds(60)),
                new RestartFreeze(new PgFreezeStore(org.service.database()), () -> Future.succeededFuture(true)),
                org.clock);
        hibernation = replica(30);
    }

    @AfterEach
    void close() {
        session.close().await();
        org.service.close().await();
    }

    @Test
    void an_agent_sleeps_after_its_idle_time_and_not_before_and_its_row_says_so() {
        var agent = ours();
        org.advance(Duration.ofMinutes(29));
        assertThat(hibernation.run().await()).isEqualTo("put 0 agents to sleep");

        org.advance(Duration.ofMinutes(1));
        assertThat(hibernation.run().await()).isEqualTo("put 1 agents to sleep");

        assertThat(org.status(agent)).isEqualTo("hibernated");
        assertThat(org.events(agent)).containsExactly("WORKSPACE_HIBERNATED hibernated");
        assertThat(column(agent, "desired || ' ' || url || coalesce(endpoint_url, 'nowhere')"))
                .isEqualTo(Desired.SLEEPING.name().toLowerCase(Locale.ROOT) + " nowhere");
    }

    @Test
    void nobody_sleeps_where_nothing_was_said_of_it() {
        ours();
        org.advance(Duration.ofDays(30));

        assertThat(replica(0).run().await()).isEqualTo("put 0 agents to sleep");
    }

    @Test
    void the_nearest_word_counts_for_an_agent_its_own_its_teams_or_its_organisations() {
        var root = ours();
        var team = below(root);
        var never = below(team);
        var soon = below(team);
        set(root, 60);
        set(never, 0);
        set(soon, 10);
        var replica = replica(0);

        org.advance(Duration.ofMinutes(10));
        replica.run().await();
        assertThat(List.of(org.status(soon), org.status(team))).containsExactly("hibernated", "online");
        org.advance(Duration.ofMinutes(50));
        replica.run().await();

        assertThat(List.of(org.status(root), org.status(team), org.status(never)))
                .containsExactly("hibernated", "hibernated", "online");
        assertThat(hibernation.store().policyOf(team).await()).contains(new IdlePolicy(null, 60));
        set(root, null);
        assertThat(hibernation.store().policyOf(team).await()).contains(new IdlePolicy(null, 30));
    }

    @Test
    void in_any_organisation_those_are_idle_for_whom_the_nearest_word_says_so() {
        var random = new Random(39);
        List<UUID> agents = new ArrayList<>();
        for (int i = 0; i < 120; i++) {
            var agent = i < 5 ? ours() : below(agents.get(random.nextInt(agents.size())));
            agents.add(agent);
            int said = random.nextInt(8);
            set(agent, said < 3 ? List.of(0, 5, 50).get(said) : null);
            org.advance(Duration.ofSeconds(30));
        }

        for (int platform : List.of(0, 10, 45)) {
            var expected = org.sql("""
                            SELECT id FROM (SELECT id, status_since, idle_minutes(id, $1) AS minutes FROM workspaces) AS one
                            WHERE minutes > 0 AND status_since <= $2::timestamptz - minutes * interval '1 minute'
                            ORDER BY status_since, id
                            """, platform, at(now())).stream()
                    .map(row -> row.getUUID(0))
                    .toList();

            assertThat(new PgHibernationStore(org.service.database(), platform)
                            .idle(now(), 1_000)
                            .await())
                    .as("the platform says %d minutes", platform)
                    .extracting(PgHibernationStore.Idle::id)
                    .containsExactlyElementsOf(expected)
                    .isNotEmpty();
        }
    }

    /** At 100,000 agents each of them could not be asked for what stands above it. */
    @Test
    void who_is_idle_is_found_without_going_up_from_every_agent() {
        var root = ours();
        var middle = below(below(below(root)));
        org.sql("""
                WITH created AS (
                    INSERT INTO workspaces (id, name, tier, runtime, managed, awareness_namespace, status, status_since, created_at, updated_at,
                        endpoint_url, parent_id)
                    SELECT gen_random_uuid(), 'w' || n, 1, 'echo', true, '', 'online', $1, $1, $1, 'http://127.0.0.1:9', $2
                    FROM generate_series(1, 2000) AS n
                    RETURNING id
                )
                INSERT INTO heartbeats (workspace_id, last_heartbeat_at) SELECT id, $1 FROM created
                """, at(now()), middle);
        org.sql("ANALYZE workspaces, heartbeats");
        org.advance(Duration.ofMinutes(31));

        var plan = org.sql("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + PgHibernationStore.IDLE, 60, at(now()), 50)
                .iterator()
                .next()
                .getValue(0);
        var asked = org.sql("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + PgHibernationStore.IDLE, 30, at(now()), 50)
                .iterator()
                .next()
                .getValue(0);

        assertThat(pagesRead(plan)).as("nobody idle for long enough").isLessThan(2_000);
        assertThat(pagesRead(asked)).as("everybody idle").isLessThan(20_000);
    }

    private static long pagesRead(Object plan) {
        var root = Json.stored(plan.toString()).path(0).path("Plan");
        return root.path("Shared Hit Blocks").asLong()
                + root.path("Shared Read Blocks").asLong();
    }

    @Test
    void whoever_is_at_something_stays_up() {
        var busy = ours();
        var asking = ours();
        var external = org.workspace("online", "external", null);
        var byHand = org.workspace("online", "langgraph", null);
        var streaming = ours();
        var lately = ours();
        var spoke = ours();
        org.sql("UPDATE heartbeats SET active_tasks = 1, current_task = 'reading' WHERE workspace_id = $1", busy);
        ask(asking);
        atWork.put(streaming, new AtWork.One(streaming, "a stream of it is open", null));
        org.advance(Duration.ofMinutes(31));
        atWork.put(lately, new AtWork.One(lately, null, now().minus(Duration.ofMinutes(29))));
        org.sql("UPDATE workspaces SET last_outbound_at = $2 WHERE id = $1", spoke, at(now().minusSeconds(60)));

        assertThat(hibernation.run().await()).isEqualTo("put 0 agents to sleep");

        assertThat(List.of(busy, asking, external, byHand, streaming, lately, spoke))
                .allSatisfy(agent -> assertThat(org.status(agent)).isEqualTo("online"));
    }

    @Test
    void while_nobody_can_say_who_is_at_work_nobody_sleeps() {
        var agent = ours();
        org.advance(Duration.ofMinutes(31));
        var alone = new HibernationService(
                new PgHibernationStore(org.service.database(), 30), lifecycle, new Bus(Vertx.vertx()), org.clock);

        assertThatThrownBy(() -> alone.run().await()).isInstanceOf(ApiError.class);
        assertThatThrownBy(() -> alone.hibernate(new Hibernate(agent, false)).await())
                .isInstanceOf(ApiError.class);

        assertThat(org.status(agent)).isEqualTo("online");
    }

    @Test
    void after_an_outage_nobody_sleeps_before_agents_had_the_time_to_say_that_they_are_busy() {
        var agent = ours();
        org.advance(Duration.ofMinutes(31));
        var back = new HibernationService(
                new PgHibernationStore(org.service.database(), 30),
                lifecycle,
                bus,
                org.clock,
                RenewalStreak.proven(Duration.ofMinutes(1)));

        assertThat(back.run().await()).isEqualTo("puts nobody to sleep until it has looked without a gap for a minute");

        assertThat(org.status(agent)).isEqualTo("online");
    }

    @Test
    void one_replica_looks_until_it_ends_or_its_claim_does() {
        var other = replica(30);
        hibernation.run().await();

        assertThat(other.run().await()).isEqualTo(RunReport.StoodBy.STOOD_BY);
        assertThat(hibernation.run().await()).isEqualTo("put 0 agents to sleep");
        hibernation.release().await();
        assertThat(other.run().await()).isEqualTo("put 0 agents to sleep");
        org.sql("UPDATE claims SET until = clock_timestamp() - interval '1 second' WHERE job = 'hibernation'");

        assertThat(hibernation.run().await()).isEqualTo("put 0 agents to sleep");
    }

    @Test
    void a_person_puts_to_sleep_who_is_up_and_free_and_with_force_whoever_is_up() {
        var free = ours();
        var working = ours();
        var asking = ours();
        var waited = ours();
        org.sql("UPDATE heartbeats SET active_tasks = 2, current_task = 'x' WHERE workspace_id = $1", working);
        ask(asking);
        atWork.put(waited, new AtWork.One(waited, "a message is at it", null));

        sleep(free);

        assertThat(org.status(free)).isEqualTo("hibernated");
        assertThatThrownBy(() -> sleep(free))
                .hasMessage("workspace not found or not in a hibernatable state (must be online or degraded)");
        assertThatThrownBy(() -> sleep(UUID.randomUUID())).hasMessageStartingWith("workspace not found");
        assertThatThrownBy(() -> sleep(org.workspace("online", "external", null)))
                .hasMessage("the platform does not run this agent, so it cannot wake it");
        assertThatThrownBy(() -> sleep(working))
                .hasMessage("workspace has active tasks; use ?force=true to terminate them")
                .extracting(failure -> ((ApiError) failure).details())
                .isEqualTo(Map.of("active_tasks", 2));
        assertThatThrownBy(() -> sleep(waited)).hasMessageContaining("?force=true");
        assertThatThrownBy(() -> sleep(asking)).hasMessageContaining("waits for an approval");
        hibernation.hibernate(new Hibernate(working, true)).await();
        hibernation.hibernate(new Hibernate(waited, true)).await();
        assertThat(List.of(org.status(working), org.status(waited))).containsOnly("hibernated");
    }

    @Test
    void however_many_wake_it_it_is_started_once_and_says_that_it_wakes() {
        var agent = ours();
        sleep(agent);

        var woken = IntStream.range(0, 20)
                .mapToObj(i -> lifecycle.wake(new WakeWorkspace(agent)))
                .toList();
        Future.all(woken).await();

        assertThat(woken.stream().filter(one -> one.result().begun())).hasSize(1);
        assertThat(org.events(agent))
                .containsExactly("WORKSPACE_HIBERNATED hibernated", "WORKSPACE_PROVISIONING provisioning");
        assertThat(column(agent, "incarnation || ' ' || waking_incarnation || ' ' || desired"))
                .isEqualTo("2 2 running");
    }

    @Test
    void whoever_asked_a_person_and_was_put_to_sleep_is_woken_by_the_answer() {
        var agent = ours();
        ask(agent);
        hibernation.hibernate(new Hibernate(agent, true)).await();
        org.advance(Duration.ofSeconds(5));
        assertThat(hibernation.wakeAnswered().await()).isZero();

        org.sql("UPDATE approvals SET status = 'approved', decided_at = $2 WHERE workspace_id = $1", agent, at(now()));

        assertThat(hibernation.wakeAnswered().await()).isEqualTo(1);
        assertThat(org.status(agent)).isEqualTo("provisioning");
        assertThat(hibernation.wakeAnswered().await()).isZero();
    }

    @Test
    void a_sleeper_is_not_taken_for_dead_and_nothing_but_a_need_starts_it() {
        var agent = ours();
        sleep(agent);
        org.advance(Duration.ofHours(5));

        var look = new PgLivenessStore(session, Duration.ofSeconds(1));
        var limits = new Limits(Duration.ofSeconds(60), Duration.ofSeconds(90));

        assertThat(look.takeOffline(limits, look.claim().await(), 500).await()).isEmpty();
        assertThat(org.status(agent)).isEqualTo("hibernated");
        assertThat(lifecycle
                        .setDesired(new SetDesired(agent, Action.RESTART, null, 1))
                        .await()
                        .changed())
                .isEmpty();
        assertThat(org.status(agent)).isEqualTo("hibernated");
        assertThat(lifecycle
                        .setDesired(new SetDesired(agent, Action.RESTART, null, null))
                        .await()
                        .changed())
                .containsExactly(agent);
    }

    @Test
    void who_is_paused_quarantined_or_removed_while_it_sleeps_is_that_and_no_message_wakes_it() {
        var root = ours();
        var child = below(root);
        sleep(child);
        lifecycle.setDesired(new SetDesired(root, Action.PAUSE, null, null)).await();

        assertThat(org.status(child)).isEqualTo("paused");
        assertThat(lifecycle.wake(new WakeWorkspace(child)).await().begun()).isFalse();
        lifecycle.setDesired(new SetDesired(root, Action.RESUME, null, null)).await();
        assertThat(org.status(child)).isEqualTo("provisioning");
        assertThat(column(child, "coalesce(waking_incarnation::text, 'as new')"))
                .isEqualTo("as new");

        var failed = ours();
        org.sql("UPDATE workspaces SET status = 'failed' WHERE id = $1", failed);
        assertThatThrownBy(() -> sleep(failed)).hasMessageStartingWith("workspace not found or not in a hibernatable");

        var removed = ours();
        sleep(removed);
        org.sql("UPDATE workspaces SET status = 'removed', desired = 'removed' WHERE id = $1", removed);
        assertThatThrownBy(() -> lifecycle.wake(new WakeWorkspace(removed)).await())
                .hasMessage("workspace not found");

        var below = ours();
        var sleeper = below(below);
        sleep(sleeper);
        org.sql("UPDATE workspaces SET status = 'paused', desired = 'paused' WHERE id = $1", below);
        assertThatThrownBy(() -> lifecycle.wake(new WakeWorkspace(sleeper)).await())
                .hasMessage("parent workspace \"w\" is paused — resume it first");

        var cutOff = ours();
        sleep(cutOff);
        org.sql("UPDATE workspaces SET quarantined = true WHERE id = $1", cutOff);
        assertThatThrownBy(() -> lifecycle.wake(new WakeWorkspace(cutOff)).await())
                .hasMessage("workspace is quarantined");
    }

    @Test
    void times_of_several_are_set_in_the_order_in_which_others_lock_them() {
        var high = ours();
        var low = ours();
        while (low.toString().compareTo(high.toString()) > 0) {
            low = ours();
        }
        session.query("BEGIN", Tuple.tuple()).await();
        lock(low);
        var set = hibernation
                .store()
                .setPolicies(
                        new SetIdleMinutes(List.of(new SetIdleMinutes.One(high, 5), new SetIdleMinutes.One(low, 7))));
        await().until(() -> set.isComplete()
                || org.sql("SELECT 1 FROM pg_locks WHERE NOT granted").size() > 0);
        lock(high);
        session.query("COMMIT", Tuple.tuple()).await();

        assertThat(set.await()).isEqualTo(new SetIdleMinutes.Done(2));
        assertThat(hibernation.store().policyOf(low).await().orElseThrow().own())
                .isEqualTo(7);
    }

    private void lock(UUID id) {
        session.query("SELECT 1 FROM workspaces WHERE id = $1 FOR NO KEY UPDATE", Tuple.of(id))
                .await();
    }

    private HibernationService replica(int minutes) {
        return new HibernationService(
                new PgHibernationStore(org.service.database(), minutes), lifecycle, bus, org.clock);
    }

    private UUID ours() {
        return org.workspace("online", "echo", ENDPOINT);
    }

    private UUID below(UUID parent) {
        var id = ours();
        org.sql("UPDATE workspaces SET parent_id = $2 WHERE id = $1", id, parent);
        return id;
    }

    private void set(UUID id, @Nullable Integer minutes) {
        hibernation.store().setPolicy(id, minutes).await();
    }

    private void ask(UUID id) {
        org.sql(
                "INSERT INTO approvals (id, workspace_id, task_id, action, reason, created_at, expires_at) VALUES ($1, $2, '', 'do', 'so', $3, $3)",
                UUID.randomUUID(),
                id,
                at(now()));
    }

    private void sleep(UUID id) {
        hibernation.hibernate(new Hibernate(id, false)).await();
    }

    private Instant now() {
        return org.clock.instant();
    }

    private static OffsetDateTime at(Instant moment) {
        return moment.atOffset(ZoneOffset.UTC);
    }

    private String column(UUID id, String what) {
        return org.sql("SELECT " + what + " FROM workspaces WHERE id = $1", id)
                .iterator()
                .next()
                .getString(0);
    }
}
