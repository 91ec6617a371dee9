package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Tokens;
import ai.molecule.common.bus.hints.WorkspaceChanged;
import ai.molecule.common.bus.registry.Directory;
import ai.molecule.common.bus.registry.IssueStartToken;
import ai.molecule.common.bus.registry.ListManaged;
import ai.molecule.common.bus.registry.ManagedWorkspace;
import ai.molecule.common.bus.registry.ManagedWorkspace.Desired;
import ai.molecule.common.bus.registry.RecordEndpoint;
import ai.molecule.common.bus.registry.ResolveRoute;
import ai.molecule.common.bus.registry.SetDesired;
import ai.molecule.common.bus.registry.SetDesired.Action;
import ai.molecule.common.bus.registry.TouchOutbound;
import ai.molecule.common.bus.registry.Transition;
import ai.molecule.common.bus.registry.VerifyToken;
import ai.molecule.common.bus.registry.VerifyToken.Holder;
import ai.molecule.common.bus.registry.VerifyToken.Standing;
import ai.molecule.common.json.Json;
import ai.molecule.common.workspaces.Delivery;
import ai.molecule.common.workspaces.WorkspaceStatus;
import io.vertx.core.http.HttpMethod;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Every bus contract, called as the other services call it. */
class ServingContractsTest {

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
    void a_route_says_where_whether_and_how() {
        String root = registry.create("Root", "\"budget_limit\":100");
        String child = registry.child("Child", root);
        String stranger = registry.child("Stranger", child);
        registry.register(root, "http://localhost:8001", "{}", null);
        String poll = registry.create("Poll", "\"external\":true", "\"url\":\"remote://no-inbound\"");

        var route = resolve(root, child);
        assertThat(route.found() && route.allowed()).isTrue();
        assertThat(route.url()).isEqualTo("http://localhost:8001");
        assertThat(route.provisioned()).isFalse();
        assertThat(route.delivery()).isEqualTo(Delivery.PUSH);
        assertThat(route.status()).isEqualTo(WorkspaceStatus.ONLINE);
        assertThat(route.budgetExceeded()).isFalse();
        assertThat(resolve(root, null).allowed()).isTrue();
        assertThat(resolve(root, stranger).allowed()).isFalse();
        assertThat(resolve(root, UUID.randomUUID().toString()).allowed()).isFalse();
        assertThat(resolve(UUID.randomUUID().toString(), root).found()).isFalse();
        assertThat(resolve(poll, null).delivery()).isEqualTo(Delivery.POLL);

        registry.beat(root, ",\"monthly_spend\":100", registry.token(root));
        assertThat(resolve(root, null).budgetExceeded()).isTrue();
    }

    @Test
    void an_endpoint_counts_while_its_start_is_the_wanted_one() {
        var id = managed("Ours");
        List<UUID> changed = new CopyOnWriteArrayList<>();
        registry.bus.listen(WorkspaceChanged.HINT, hint -> changed.add(hint.workspaceId()));

        assertThat(record(id, 1)).isTrue();
        var route = resolve(id.toString(), null);
        assertThat(route.provisioned()).isTrue();
        assertThat(route.url()).isEqualTo("http://127.0.0.1:7001");
        assertThat(changed).contains(id);

        setDesired(id, Action.RESTART, null);
        assertThat(resolve(id.toString(), null).url()).isEmpty();
        assertThat(resolve(id.toString(), null).version()).isGreaterThan(route.version());
        assertThat(record(id, 1)).isFalse();
        assertThat(record(id, 2)).isTrue();
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

    @Test
    void managed_workspaces_come_in_pages_and_removed_ones_stay_for_an_hour() {
        var first = managed("A");
        var second = managed("B");
        registry.delete("/workspaces/" + first, ADMIN);
        String byHand = UUID.randomUUID().toString();
        registry.register(byHand, "http://localhost:1", "{}", null);

        var all = registry.bus
                .call(ListManaged.CONTRACT, new ListManaged(null, null, 500))
                .await()
                .workspaces();
        var page = registry.bus
                .call(ListManaged.CONTRACT, new ListManaged(null, all.getFirst().id(), 1))
                .await()
                .workspaces();

        assertThat(all)
                .extracting(ManagedWorkspace::id)
                .contains(first, second)
                .doesNotContain(UUID.fromString(byHand));
        assertThat(all).extracting(workspace -> workspace.id().toString()).isSorted();
        assertThat(page)
                .extracting(ManagedWorkspace::id)
                .containsExactly(all.get(1).id());
        assertThat(one(first).desired()).isEqualTo(Desired.REMOVED);
        registry.sql("UPDATE workspaces SET status_since = now() - interval '61 minutes' WHERE id = $1", first);
        assertThat(registry.bus
                        .call(ListManaged.CONTRACT, ListManaged.one(first))
                        .await()
                        .workspaces())
                .isEmpty();
    }

    @Test
    void the_directory_names_everybody() {
        var root = managed("Root of all");
        var child = UUID.fromString(registry.child("Child of it", root.toString()));

        var snapshot = registry.bus.call(Directory.CONTRACT, new Directory()).await();

        assertThat(snapshot.workspaces())
                .contains(new Directory.Entry(child, root, "Child of it", null, WorkspaceStatus.PROVISIONING, true));
        assertThat(snapshot.accessRule().allows(root, child)).isTrue();
    }

    @Test
    void a_bearer_proves_what_its_token_says() {
        var id = managed("Ours");
        String started = registry.bus
                .call(IssueStartToken.CONTRACT, new IssueStartToken(id, 1))
                .await()
                .token();
        String hash = Base64.getEncoder().encodeToString(Tokens.hash(started));

        var known = registry.bus
                .call(VerifyToken.CONTRACT, new VerifyToken(hash, id))
                .await();
        var counts = registry.bus
                .call(VerifyToken.CONTRACT, new VerifyToken(null, UUID.randomUUID()))
                .await();

        assertThat(known)
                .isEqualTo(new VerifyToken.Verdict(Holder.WORKSPACE, id, 1, Standing.ADMITTED, null, true, true));
        assertThat(counts)
                .isEqualTo(new VerifyToken.Verdict(Holder.NOBODY, null, null, Standing.ADMITTED, null, true, false));
        assertThatThrownBy(() -> registry.bus
                        .call(IssueStartToken.CONTRACT, new IssueStartToken(id, 2))
                        .await())
                .hasMessage("incarnation is no longer current");
    }

    @Test
    void a_word_sent_is_noted() {
        var id = managed("Talker");

        int touched = registry.bus
                .call(TouchOutbound.CONTRACT, new TouchOutbound(List.of(id, UUID.randomUUID())))
                .await()
                .count();

        assertThat(touched).isEqualTo(1);
        assertThat(registry.see(id.toString()).path("last_outbound_at").asText())
                .endsWith("Z");
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

    private static boolean record(UUID id, int incarnation) {
        return registry.bus
                .call(
                        RecordEndpoint.CONTRACT,
                        new RecordEndpoint(id, incarnation, "http://127.0.0.1:7001", "http://127.0.0.1:7001"))
                .await()
                .current();
    }

    private static Transition.Outcome witness(UUID id, int incarnation, WorkspaceStatus to) {
        return registry.bus
                .call(Transition.CONTRACT, new Transition(id, incarnation, to, Map.of("error", "gone"), "gone"))
                .await();
    }
}
