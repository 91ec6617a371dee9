package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.registry.ListManaged;
import ai.molecule.common.bus.registry.ManagedWorkspace;
import ai.molecule.common.bus.registry.ManagedWorkspace.Desired;
import ai.molecule.common.bus.registry.ResolveRoute;
import ai.molecule.common.bus.registry.SetDesired;
import ai.molecule.common.bus.registry.SetDesired.Action;
import ai.molecule.common.bus.registry.Transition;
import ai.molecule.common.json.Json;
import ai.molecule.common.workspaces.Delivery;
import ai.molecule.common.workspaces.WorkspaceStatus;
import io.vertx.core.Promise;
import io.vertx.core.http.HttpMethod;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What is wanted of workspaces and witnessed of them, as the other services tell it over the bus. */
class PausingAndRestartingTest {

    @SuppressWarnings("NullAway.Init")
    private static RunningRegistry registry;

    @BeforeAll
    static void start() {
        registry = RunningRegistry.start();
    }

    @AfterAll
    static void stop() {
        registry.close();
    }

    @Test
    void of_several_automatic_restarts_one_bumps_the_incarnation() {
        var id = managed("Ours");

        assertThat(setDesired(id, Action.RESTART, 1)).containsExactly(id);
        assertThat(setDesired(id, Action.RESTART, 1)).isEmpty();

        assertThat(one(id).incarnation()).isEqualTo(2);
        assertThat(registry.eventTypes(id.toString()))
                .containsExactly("WORKSPACE_PROVISIONING", "WORKSPACE_PROVISIONING");
    }

    @Test
    void a_runtime_that_is_chosen_and_one_that_the_config_names_count_from_when_they_were_said() {
        var id = managed("Ours");
        String made = one(id).runtime();

        registry.patch("/workspaces/" + id, "{\"runtime\":\"codex\"}", ADMIN);
        assertThat(one(id).runtime()).isEqualTo("codex");
        assertThat(one(id).configRuntime()).isEqualTo(made);
        setDesired(id, Action.RESTART, null);
        assertThat(one(id).runtime()).isEqualTo("codex");

        registry.bus
                .call(SetDesired.CONTRACT, new SetDesired(id, Action.RESTART, "echo", null))
                .await();
        assertThat(one(id).runtime()).isEqualTo("echo");
        assertThat(one(id).configRuntime()).isEqualTo("echo");

        registry.patch("/workspaces/" + id, "{\"runtime\":\"codex\"}", ADMIN);
        setDesired(id, Action.PAUSE, null);
        setDesired(id, Action.RESUME, null);
        assertThat(one(id).runtime()).isEqualTo("codex");
        assertThat(one(id).configRuntime()).isEqualTo("echo");
    }

    @Test
    void a_registry_answers_reads_while_many_changes_wait_for_the_lock_of_the_org_chart() throws Exception {
        List<UUID> ids = IntStream.range(0, 12).mapToObj(i -> managed("Ours")).toList();
        Promise<Void> held = Promise.promise();
        Promise<Void> release = Promise.promise();
        var holder = registry.pool.withTransaction(other -> other.query("SELECT pg_advisory_xact_lock(66532854)")
                .execute()
                .onSuccess(locked -> held.complete())
                .compose(locked -> release.future()));
        held.future().await();
        var restarts = ids.stream()
                .map(id -> registry.bus.call(SetDesired.CONTRACT, new SetDesired(id, Action.RESTART, null, null)))
                .toList();
        await().until(() -> registry.sql("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
                        .size()
                > 0);

        var read = registry.get("/workspaces/" + ids.getFirst() + "/memory", ADMIN);
        var ready = registry.get("/ready", null);
        release.complete();
        holder.await();

        assertThat(read.status()).isEqualTo(200);
        assertThat(ready.status()).isEqualTo(200);
        for (var restart : restarts) {
            assertThat(restart.await().changed()).hasSize(1);
        }
    }

    @Test
    void a_pause_takes_the_branch_along_and_nothing_restarts_it_but_a_person() {
        var root = managed("Root");
        var child = UUID.fromString(registry.child("Child", root.toString()));

        assertThat(setDesired(root, Action.PAUSE, null)).containsExactly(root, child);

        assertThat(one(child).status()).isEqualTo(WorkspaceStatus.PAUSED);
        assertThat(one(child).desired()).isEqualTo(Desired.PAUSED);
        assertThat(registry.get("/workspaces/" + child + "/state", ADMIN).body())
                .endsWith("\"status\":\"paused\",\"paused\":true,\"deleted\":false}");
        assertThat(registry.events(child.toString()))
                .last()
                .isEqualTo(
                        "WORKSPACE_PAUSED {\"name\":\"Child\",\"role\":null,\"status\":\"paused\",\"parent_id\":\"%s\"}"
                                .formatted(root));
        assertThat(setDesired(root, Action.RESTART, 1)).isEmpty();
        assertThatThrownBy(() -> setDesired(root, Action.PAUSE, null))
                .hasMessage("workspace not found or already paused");
        assertThatThrownBy(() -> setDesired(child, Action.RESUME, null))
                .hasMessage("parent workspace \"Root\" is paused — resume it first");

        assertThat(setDesired(root, Action.RESUME, null)).containsExactly(root, child);
        assertThat(one(child).status()).isEqualTo(WorkspaceStatus.PROVISIONING);
        assertThat(one(child).incarnation()).isEqualTo(2);
        assertThat(one(child).provisioningSince()).isNotNull();
        assertThatThrownBy(() -> setDesired(root, Action.RESUME, null)).hasMessage("workspace not found or not paused");
        assertThatThrownBy(() -> setDesired(UUID.randomUUID(), Action.RESTART, null))
                .hasMessage("workspace not found");
    }

    @Test
    void who_is_stopped_or_started_anew_works_on_nothing_and_whoever_watches_is_told() {
        var root = managed("Idle");
        var child = UUID.fromString(registry.child("Busy", root.toString()));

        for (var action : List.of(Action.PAUSE, Action.RESUME)) {
            registry.beat(child.toString(), ",\"current_task\":\"reading\",\"active_tasks\":2", null);
            setDesired(root, action, null);

            assertThat(registry.see(child.toString()).path("current_task").asText())
                    .isEmpty();
            assertThat(registry.see(child.toString()).path("active_tasks").asInt())
                    .isZero();
        }

        await().untilAsserted(() -> {
            assertThat(tasksShown(child))
                    .filteredOn(task -> task.equals("{\"current_task\":\"\",\"active_tasks\":0}"))
                    .hasSize(2);
            assertThat(tasksShown(root)).isEmpty();
        });
    }

    @Test
    void an_external_agent_keeps_its_address_through_a_pause() {
        var id = UUID.fromString(registry.create("Far", "\"external\":true", "\"url\":\"https://far.example\""));

        setDesired(id, Action.PAUSE, null);
        setDesired(id, Action.RESUME, null);

        assertThat(resolve(id.toString(), null).url()).isEqualTo("https://far.example");
        assertThat(registry.bus
                        .call(ListManaged.CONTRACT, ListManaged.one(id))
                        .await()
                        .workspaces())
                .isEmpty();
    }

    @Test
    void an_external_agent_that_is_heard_and_never_named_an_address_fetches_its_messages() {
        var created = registry.post("/workspaces", "{\"name\":\"Far\",\"external\":true}", ADMIN);
        String id = created.text("id");
        String caller = registry.create("Caller");
        var awaited = resolve(id, null);

        registry.beat(id, "", created.json().at("/connection/auth_token").asText());

        assertThat(awaited.hasAddress()).isFalse();
        assertThat(resolve(id, null).delivery()).isEqualTo(Delivery.POLL);
        assertThat(resolve(id, null).hasAddress()).isTrue();
        assertThat(registry.send(
                        HttpMethod.GET,
                        "/registry/discover/" + id,
                        null,
                        registry.token(caller),
                        "X-Workspace-ID",
                        caller))
                .hasToString("404 {\"error\":\"workspace has no inbound URL\"}");
    }

    @Test
    void an_agent_known_only_because_it_registered_keeps_its_address_through_a_pause() {
        var id = UUID.randomUUID();
        registry.register(id.toString(), "remote://no-inbound", "{\"name\":\"poller\"}", null);

        setDesired(id, Action.PAUSE, null);
        var whilePaused = registry.register(id.toString(), "remote://no-inbound", "{\"name\":\"poller\"}", null);
        setDesired(id, Action.RESUME, null);

        assertThat(whilePaused).hasToString("200 {\"status\":\"registered\"}");
        assertThat(resolve(id.toString(), null).delivery()).isEqualTo(Delivery.POLL);
    }

    @Test
    void what_was_witnessed_changes_the_status_once_and_only_of_the_wanted_start() {
        var id = managed("Ours");
        registry.beat(id.toString(), "", null);

        assertThat(witness(id, 7, WorkspaceStatus.OFFLINE).applied()).isFalse();
        assertThat(witness(id, 1, WorkspaceStatus.OFFLINE).applied()).isTrue();
        assertThat(witness(id, 1, WorkspaceStatus.OFFLINE).applied()).isFalse();
        var failed = witness(id, 1, WorkspaceStatus.FAILED);

        assertThat(failed.applied()).isTrue();
        assertThat(failed.status()).isEqualTo(WorkspaceStatus.FAILED);
        assertThat(witness(id, 1, WorkspaceStatus.OFFLINE))
                .isEqualTo(new Transition.Outcome(false, WorkspaceStatus.FAILED));
        assertThat(registry.events(id.toString()).get(2))
                .startsWith("WORKSPACE_OFFLINE {")
                .contains("\"error\":\"gone\"", "\"status\":\"offline\"");
        assertThat(registry.events(id.toString()).get(3))
                .startsWith("WORKSPACE_PROVISION_FAILED {")
                .contains("\"error\":\"gone\"", "\"status\":\"failed\"");
        assertThat(registry.see(id.toString()).path("last_sample_error").asText())
                .isEqualTo("gone");
        assertThatThrownBy(() -> witness(id, 1, WorkspaceStatus.ONLINE)).isInstanceOf(ApiError.class);
        assertThatThrownBy(() -> witness(UUID.randomUUID(), 1, WorkspaceStatus.OFFLINE))
                .hasMessage("workspace not found");
    }

    private static UUID managed(String name) {
        return UUID.fromString(registry.create(name));
    }

    private static ManagedWorkspace one(UUID id) {
        return registry.bus
                .call(ListManaged.CONTRACT, ListManaged.one(id))
                .await()
                .workspaces()
                .getFirst();
    }

    private static ResolveRoute.Route resolve(String target, @Nullable String caller) {
        var question = new ResolveRoute(UUID.fromString(target), caller == null ? null : UUID.fromString(caller));
        return registry.bus.call(ResolveRoute.CONTRACT, question).await();
    }

    private static List<String> tasksShown(UUID id) {
        return registry.live.stream()
                .filter(event -> event.type().equals("TASK_UPDATED") && id.equals(event.workspaceId()))
                .map(event -> Json.text(event.payload()))
                .toList();
    }

    private static List<UUID> setDesired(UUID id, Action action, @Nullable Integer expected) {
        return registry.bus
                .call(SetDesired.CONTRACT, new SetDesired(id, action, null, expected))
                .await()
                .changed();
    }

    private static Transition.Outcome witness(UUID id, int incarnation, WorkspaceStatus to) {
        return registry.bus
                .call(Transition.CONTRACT, new Transition(id, incarnation, to, Map.of("error", "gone"), "gone"))
                .await();
    }
}
