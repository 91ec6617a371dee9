package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import ai.molecule.common.bus.registry.VerifyToken;
import ai.molecule.common.bus.registry.VerifyToken.Holder;
import ai.molecule.common.bus.registry.VerifyToken.Standing;
import ai.molecule.common.workspaces.Delivery;
import ai.molecule.common.workspaces.WorkspaceStatus;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"supportedInterfaces\":[{\"protocolBinding\":\"JSONRPC\",\"protocolVersion\":\"1.0\"}]} | true",
                "{\"supportedInterfaces\":[{\"protocolVersion\":\"1.0.1\"},{\"protocolVersion\":\"0.3\"}]} | false",
                "{\"protocolVersion\":\"0.3.0\",\"supportedInterfaces\":[{\"protocolVersion\":\"1.0\"}]} | false",
                "{\"protocolVersion\":\"0.3.0\"} | false",
                "{\"supportedInterfaces\":7} | false",
                "{} | false"
            })
    void a_route_says_whether_its_agent_speaks_a2a_1_0_alone(String card, boolean only10) {
        String id = registry.create("Speaks " + UUID.randomUUID());
        registry.register(id, "http://localhost:8001", card, null);

        assertThat(resolve(id, null).only10()).isEqualTo(only10);
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
}
