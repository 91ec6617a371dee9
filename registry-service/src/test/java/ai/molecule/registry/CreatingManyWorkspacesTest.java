package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.hints.Reconcile;
import ai.molecule.common.bus.registry.CheckWorkspaces;
import ai.molecule.common.bus.registry.CreateWorkspaces;
import ai.molecule.common.bus.registry.CreateWorkspaces.Agent;
import ai.molecule.common.bus.registry.CreateWorkspaces.Entry;
import ai.molecule.common.bus.registry.CreateWorkspaces.Item;
import ai.molecule.common.bus.registry.CreateWorkspaces.Memory;
import ai.molecule.common.bus.registry.SetDesired;
import ai.molecule.common.json.Json;
import ai.molecule.common.workspaces.WorkspaceStatus;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A batch of workspaces through the contract that organisations, bundles and expand use. */
class CreatingManyWorkspacesTest {

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
    void parents_and_children_are_created_together_in_their_order_and_told_where_they_stand() {
        var lead = item(null, "Lead of R&D", 100, 50, true);
        var child = item(lead.id(), "Child", 116, 180, true);
        List<UUID> poked = new CopyOnWriteArrayList<>();
        var listener = registry.bus.listen(Reconcile.HINT, hint -> poked.add(hint.workspaceId()));

        var created = create(lead, child);

        assertThat(created)
                .containsExactly(
                        new Entry(lead.id(), WorkspaceStatus.PROVISIONING),
                        new Entry(child.id(), WorkspaceStatus.PROVISIONING));
        assertThat(registry.events(child.id().toString()))
                .containsExactly(("WORKSPACE_PROVISIONING {\"x\":16,\"y\":130,\"name\":\"Child\",\"role\":\"works\","
                                + "\"tier\":2,\"status\":\"provisioning\",\"runtime\":\"echo\",\"parent_id\":\"%s\"}")
                        .formatted(lead.id()));
        assertThat(registry.see(lead.id().toString()).path("x").asInt()).isEqualTo(100);
        assertThat(listed("Lead of R&D", "Child")).containsExactly("Lead of R&D", "Child");
        await().untilAsserted(() -> assertThat(poked).contains(lead.id(), child.id()));
        listener.unregister().await();
    }

    @Test
    void asked_only_whether_it_would_the_registry_refuses_the_same_and_keeps_nothing() {
        var lead = item(null, "Would lead", 0, 0, true);
        var child = item(lead.id(), "Would follow", 0, 0, true);
        var orphan = item(UUID.randomUUID(), "Nobody's", 0, 0, true);

        assertThat(check(lead, child)).isEqualTo(new CheckWorkspaces.Checked(2));

        assertThat(listed("Would lead", "Would follow")).isEmpty();
        assertThat(registry.events(lead.id().toString())).isEmpty();
        for (var refused : List.of(List.of(orphan), List.of(child, lead), List.of(lead, lead))) {
            var items = refused.toArray(Item[]::new);
            assertThat(catchThrowable(() -> check(items)))
                    .as(refused.toString())
                    .isNotNull()
                    .hasMessage(catchThrowable(() -> create(items)).getMessage());
        }
        assertThat(create(lead, child)).hasSize(2);
    }

    private static CheckWorkspaces.Checked check(Item... items) {
        return registry.bus
                .call(CheckWorkspaces.CONTRACT, new CheckWorkspaces(List.of(items)))
                .await();
    }

    @Test
    void one_made_from_a_bundle_is_known_by_its_card_until_its_agent_registers() {
        var plain = item(null, "Without a card", 0, 0, true);
        var known = new Item(
                UUID.randomUUID(),
                null,
                "With a card",
                null,
                plain.agent(),
                0,
                0,
                List.of(),
                Map.of(),
                "a-bundle",
                Json.object().put("name", "Ünï"),
                false);

        create(plain, known);

        assertThat(registry.get("/workspaces/" + known.id(), ADMIN).json().path("agent_card"))
                .hasToString("{\"name\":\"Ünï\"}");
        assertThat(registry.get("/workspaces/" + plain.id(), ADMIN)
                        .json()
                        .path("agent_card")
                        .isNull())
                .isTrue();
    }

    @Test
    void a_child_of_somebody_who_exists_is_told_from_where_that_one_stands() {
        String parent = registry.create("Existing", "\"canvas\":{\"x\":40,\"y\":4}");
        var child = item(UUID.fromString(parent), "Joins", 50, 5, true);

        create(child);

        assertThat(registry.events(child.id().toString()).getFirst()).contains("\"x\":10,\"y\":1,");
    }

    @Test
    void what_is_not_to_start_is_paused_until_one_above_it_is_resumed() {
        var lead = item(null, "Waiting lead", 0, 0, false);
        var child = item(lead.id(), "Waiting child", 0, 0, false);

        assertThat(create(lead, child)).extracting(Entry::status).containsOnly(WorkspaceStatus.PAUSED);
        assertThat(registry.eventTypes(child.id().toString()))
                .containsExactly("WORKSPACE_PROVISIONING", "WORKSPACE_PAUSED");

        var resume = new SetDesired(lead.id(), SetDesired.Action.RESUME, null, null);
        var resumed = registry.bus.call(SetDesired.CONTRACT, resume).await();

        assertThat(resumed.changed()).containsExactly(lead.id(), child.id());
        assertThat(registry.status(child.id().toString())).isEqualTo("provisioning");
    }

    @Test
    void a_repeat_changes_nothing_and_a_mixture_is_refused() {
        var lead = item(null, "Once", 0, 0, true);
        var other = item(null, "Other", 0, 0, true);
        create(lead);
        long before = registry.count("log.events");

        assertThat(create(lead)).containsExactly(new Entry(lead.id(), WorkspaceStatus.PROVISIONING));
        assertThatThrownBy(() -> create(other, lead)).hasMessage("some of these workspaces exist already");

        assertThat(registry.count("log.events")).isEqualTo(before);
        assertThat(listed("Once", "Other")).containsExactly("Once");
    }

    @Test
    void one_that_breaks_a_rule_is_named_and_nothing_is_created() {
        var fine = item(null, "Fine", 0, 0, true);
        long before = registry.count("workspaces");

        assertThatThrownBy(() -> create(fine, item(null, "two\nlines", 0, 0, true)))
                .hasMessage("workspace \"two\nlines\": name must not contain newline characters");
        assertThatThrownBy(() -> create(fine, with("Nosy", "/etc", Map.of(), List.of())))
                .hasMessage("workspace \"Nosy\": invalid workspace directory");
        assertThatThrownBy(() -> create(fine, with("Sly", null, Map.of("PATH", "x"), List.of())))
                .hasMessage("workspace \"Sly\": secret key PATH is reserved for the platform");
        assertThatThrownBy(() -> create(fine, item(UUID.randomUUID(), "Orphan", 0, 0, true)))
                .hasMessage("parent workspace not found");
        assertThatThrownBy(() -> create(item(fine.id(), "Too early", 0, 0, true), fine))
                .hasMessage("parent workspace not found");
        assertThatThrownBy(() -> create(fine, fine)).hasMessage("an id is given twice");
        assertThatThrownBy(() -> create(Collections.nCopies(1_001, fine).toArray(Item[]::new)))
                .hasMessage("at most 1000 workspaces at once");

        assertThat(registry.count("workspaces")).isEqualTo(before);
    }

    @Test
    void secrets_and_memories_are_there_from_the_start_and_no_token_is_issued() {
        var memories = List.of(new Memory("knows A", null), new Memory("for all", "global"), new Memory("no", "NONE"));
        var item = with("Knowing", null, Map.of("API", "s3cret"), memories);

        create(item);

        String path = "/workspaces/" + item.id();
        assertThat(registry.get(path + "/secrets", ADMIN).body()).contains("\"key\":\"API\"");
        assertThat(registry.get(path + "/memories", ADMIN).json())
                .extracting(memory -> memory.path("scope").asText())
                .containsExactlyInAnyOrder("LOCAL", "GLOBAL");
        assertThat(registry.get(path + "/tokens", ADMIN).text("count")).isEqualTo("0");
        assertThat(item.toString()).doesNotContain("s3cret");
    }

    @Test
    void an_external_agent_with_an_address_is_online_and_one_without_is_awaited() {
        var somewhere = external("Somewhere", "http://192.0.2.1:9000");
        var nowhere = external("Nowhere yet", null);

        var created = create(somewhere, nowhere);

        assertThat(created)
                .extracting(Entry::status)
                .containsExactly(WorkspaceStatus.ONLINE, WorkspaceStatus.AWAITING_AGENT);
        assertThat(registry.eventTypes(somewhere.id().toString()))
                .containsExactly("WORKSPACE_PROVISIONING", "WORKSPACE_ONLINE");
    }

    @Test
    void a_thousand_at_once_are_created() {
        List<Item> items = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            items.add(item(i == 0 ? null : items.get(i / 10).id(), "Many", i, i, false));
        }

        create(items.toArray(Item[]::new));

        assertThat(listed("Many")).hasSize(1_000);
        registry.delete("/workspaces/" + items.getFirst().id() + "?confirm=true&purge=true", ADMIN);
    }

    private static List<Entry> create(Item... items) {
        return registry.bus
                .call(CreateWorkspaces.CONTRACT, new CreateWorkspaces(List.of(items)))
                .await()
                .workspaces();
    }

    private static Item item(@Nullable UUID parent, String name, double x, double y, boolean start) {
        var agent = Agent.managed("echo", null, 2);
        return new Item(UUID.randomUUID(), parent, name, "works", agent, x, y, List.of(), Map.of(), null, start);
    }

    private static Item with(String name, @Nullable String folder, Map<String, String> secrets, List<Memory> memories) {
        var agent = new Agent("echo", null, 2, null, false, null, folder, null, null, 1);
        return new Item(UUID.randomUUID(), null, name, null, agent, 0, 0, memories, secrets, null, true);
    }

    private static Item external(String name, @Nullable String url) {
        var agent = new Agent(null, null, 0, null, true, url, null, null, null, 1);
        return new Item(UUID.randomUUID(), null, name, null, agent, 0, 0, List.of(), Map.of(), null, true);
    }

    private static List<String> listed(String... names) {
        List<String> listed = new ArrayList<>();
        for (JsonNode workspace : registry.get("/workspaces", ADMIN).json()) {
            listed.add(workspace.path("name").asText());
        }
        listed.retainAll(List.of(names));
        return listed;
    }
}
