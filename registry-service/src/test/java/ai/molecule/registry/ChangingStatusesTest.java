package ai.molecule.registry;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.registry.SetDesired;
import ai.molecule.common.bus.registry.SetDesired.Action;
import ai.molecule.common.bus.registry.Transition;
import ai.molecule.common.db.Session;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.registry.lifecycle.LegalTransitions;
import ai.molecule.registry.lifecycle.Trigger;
import ai.molecule.registry.liveness.PgLivenessStore;
import ai.molecule.registry.liveness.PgLivenessStore.Limits;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.jspecify.annotations.Nullable;

/** Whatever happens to workspaces, in whatever order and at the same time: the history stays legal and complete. */
@SuppressWarnings("NullAway.Init")
class ChangingStatusesTest {

    /** What can happen. The witnesses speak of the first start, so that after a restart they are late. */
    enum Happening {
        REGISTER,
        HEARTBEAT,
        MANY_ERRORS,
        SILENCE,
        PROCESS_EXIT,
        START_FAILURE,
        RESTART,
        AUTOMATIC_RESTART,
        PAUSE,
        RESUME,
        REMOVAL
    }

    /** @param target 0 the parent, 1 its child */
    record Blow(Happening what, int target) {}

    private static final Map<WorkspaceStatus, String> TOLD_BY = Map.of(
            WorkspaceStatus.PROVISIONING, "WORKSPACE_PROVISIONING",
            WorkspaceStatus.ONLINE, "WORKSPACE_ONLINE",
            WorkspaceStatus.DEGRADED, "WORKSPACE_DEGRADED",
            WorkspaceStatus.OFFLINE, "WORKSPACE_OFFLINE",
            WorkspaceStatus.PAUSED, "WORKSPACE_PAUSED",
            WorkspaceStatus.FAILED, "WORKSPACE_PROVISION_FAILED",
            WorkspaceStatus.REMOVED, "WORKSPACE_REMOVED");

    private static RunningRegistry registry;
    private static PgLivenessStore silence;
    private static Session session;

    @BeforeContainer
    static void start() {
        registry = RunningRegistry.start();
        session = registry.database.session();
        silence = new PgLivenessStore(session, Duration.ofSeconds(1));
        registry.pool.query("""
                        CREATE TABLE changes (id bigserial, workspace_id uuid, steps bigint);
                        CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                            INSERT INTO registry.changes (workspace_id, steps) VALUES (new.id, new.version - old.version);
                            RETURN NULL;
                        END $$;
                        CREATE TRIGGER noted AFTER UPDATE OF status ON workspaces FOR EACH ROW EXECUTE FUNCTION note();
                        """).execute().await();
    }

    @AfterContainer
    static void stop() {
        session.close().await();
        registry.close();
    }

    @Property(tries = 40, shrinking = ShrinkingMode.OFF)
    void no_status_is_illegal_and_every_change_has_exactly_one_event(@ForAll("storms") List<List<Blow>> storm)
            throws InterruptedException {
        String parent = registry.create("Parent", "\"role\":\"lead\"");
        String child = registry.child("Child", parent);
        var ids = List.of(parent, child);
        var tokens = List.of(registry.token(parent), registry.token(child));

        for (var atOnce : storm) {
            try (var threads = Executors.newFixedThreadPool(4)) {
                threads.invokeAll(atOnce.stream()
                                .map(blow -> Executors.callable(
                                        () -> strike(blow, ids.get(blow.target), tokens.get(blow.target))))
                                .toList())
                        .forEach(done -> assertThat(done.state())
                                .as(() -> String.valueOf(done.exceptionNow()))
                                .isEqualTo(java.util.concurrent.Future.State.SUCCESS));
            }
        }

        for (String id : ids) {
            assertHistory(id);
        }
        registry.delete("/workspaces/" + parent + "?confirm=true&purge=true", RunningRegistry.ADMIN);
    }

    @Provide
    static Arbitrary<List<List<Blow>>> storms() {
        var blow = Combinators.combine(
                        Arbitraries.of(Happening.class).filter(what -> what != Happening.REMOVAL),
                        Arbitraries.integers().between(0, 1))
                .as(Blow::new);
        var rare = Arbitraries.integers().between(0, 1).map(target -> new Blow(Happening.REMOVAL, target));
        return Arbitraries.frequencyOf(net.jqwik.api.Tuple.of(25, blow), net.jqwik.api.Tuple.of(1, rare))
                .list()
                .ofMinSize(1)
                .ofMaxSize(4)
                .list()
                .ofMinSize(2)
                .ofMaxSize(7);
    }

    private static void strike(Blow blow, String id, String token) {
        switch (blow.what) {
            case REGISTER -> assertUnbroken(registry.register(id, "http://localhost:9", "{}", token));
            case HEARTBEAT -> assertUnbroken(registry.beat(id, ",\"error_rate\":0", token));
            case MANY_ERRORS -> assertUnbroken(registry.beat(id, ",\"error_rate\":0.9", token));
            case SILENCE -> sweep();
            case PROCESS_EXIT -> witness(id, WorkspaceStatus.OFFLINE);
            case START_FAILURE -> witness(id, WorkspaceStatus.FAILED);
            case RESTART -> want(id, Action.RESTART, null);
            case AUTOMATIC_RESTART -> want(id, Action.RESTART, 1);
            case PAUSE -> want(id, Action.PAUSE, null);
            case RESUME -> want(id, Action.RESUME, null);
            case REMOVAL ->
                assertUnbroken(registry.delete("/workspaces/" + id + "?confirm=true", RunningRegistry.ADMIN));
        }
    }

    /** One at a time, as a registry does it. */
    private static synchronized void sweep() {
        var everybody = new Limits(Duration.ofSeconds(-1), Duration.ofSeconds(-1));
        silence.takeOffline(everybody, silence.claim().await(), 10).await();
    }

    private static void assertUnbroken(RunningRegistry.Answer answer) {
        assertThat(answer.status()).as(answer.toString()).isLessThan(500);
    }

    private static void witness(String id, WorkspaceStatus to) {
        registry.bus
                .call(Transition.CONTRACT, new Transition(UUID.fromString(id), 1, to, Map.of(), null))
                .await();
    }

    private static void want(String id, Action action, @Nullable Integer expected) {
        try {
            registry.bus
                    .call(SetDesired.CONTRACT, new SetDesired(UUID.fromString(id), action, null, expected))
                    .await();
        } catch (ApiError refused) {
            assertThat(refused.kind()).isIn(ApiError.Kind.NOT_FOUND, ApiError.Kind.CONFLICT);
        }
    }

    private static void assertHistory(String id) {
        var workspace = registry.sql("SELECT * FROM workspaces WHERE id = $1", UUID.fromString(id))
                .iterator()
                .next();
        var events = registry.sql("""
                        SELECT event_type, payload->>'status' AS status, payload->>'parent_id' AS parent,
                            payload->>'name' AS name, payload ? 'role' AS role, payload ? 'agent_card' AS registered
                        FROM log.events WHERE workspace_id = $1 ORDER BY id
                        """, UUID.fromString(id)).stream().toList();
        var at = WorkspaceStatus.PROVISIONING;
        long changes = 0;
        for (Row event : events.subList(1, events.size())) {
            var to = WorkspaceStatus.ofWire(event.getString("status"));
            boolean repeated = to == at && event.getBoolean("registered");
            assertThat(repeated || isLegal(at, to)).as(at + " to " + to).isTrue();
            assertThat(event.getString("event_type")).isEqualTo(TOLD_BY.get(to));
            assertThat(event.getString("name")).isEqualTo(workspace.getString("name"));
            assertThat(event.getBoolean("role")).isTrue();
            assertThat(event.getString("parent"))
                    .isEqualTo(workspace.getUUID("parent_id") == null ? null : "" + workspace.getUUID("parent_id"));
            at = to;
            changes += repeated ? 0 : 1;
        }
        assertThat(workspace.getString("status")).isEqualTo(at.wire());
        assertThat(changes)
                .isEqualTo(registry.sql(
                                "SELECT coalesce(sum(steps), 0)::bigint FROM changes WHERE workspace_id = $1",
                                UUID.fromString(id))
                        .iterator()
                        .next()
                        .getLong(0));
        assertThat(workspace.getString("desired"))
                .isEqualTo(at == WorkspaceStatus.PAUSED || at == WorkspaceStatus.REMOVED ? at.wire() : "running");
    }

    private static boolean isLegal(WorkspaceStatus from, WorkspaceStatus to) {
        return Stream.of(Trigger.values())
                .anyMatch(trigger ->
                        LegalTransitions.next(from, trigger).filter(to::equals).isPresent());
    }
}
