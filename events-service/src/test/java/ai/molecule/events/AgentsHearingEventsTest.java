package ai.molecule.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.registry.Directory.Entry;
import ai.molecule.common.events.LiveEvent;
import ai.molecule.common.json.Json;
import ai.molecule.common.workspaces.WorkspaceStatus;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What an agent sees on {@code /ws}: events of those it may talk to. */
@ExtendWith(VertxExtension.class)
class AgentsHearingEventsTest {

    @SuppressWarnings("NullAway.Init")
    private EventsFixture service;

    @SuppressWarnings("NullAway.Init")
    private Organisation organisation;

    @SuppressWarnings("NullAway.Init")
    private UUID lead;

    @SuppressWarnings("NullAway.Init")
    private UUID writer;

    @SuppressWarnings("NullAway.Init")
    private UUID editor;

    @SuppressWarnings("NullAway.Init")
    private UUID intern;

    @BeforeEach
    void start(Vertx vertx) {
        service = EventsFixture.start(vertx);
        organisation = service.organisation;
        lead = organisation.add("lead", null);
        writer = organisation.add("writer", lead);
        editor = organisation.add("editor", lead);
        intern = organisation.add("intern", editor);
    }

    @Test
    void an_agent_hears_itself_its_parent_its_siblings_and_its_children_only() {
        var agent = service.agent(writer, null, "");

        service.record("INTERN", intern);
        service.record("EDITOR", editor);
        service.record("LEAD", lead);
        service.record("NOBODY", null);
        service.live("WRITER", writer);
        service.live("INTERN_LIVE", intern);
        service.record("LAST", writer);

        await().until(() -> agent.types().contains("LAST") && agent.types().contains("WRITER"));
        assertThat(agent.types()).containsExactlyInAnyOrder("EDITOR", "LEAD", "WRITER", "LAST");
    }

    @Test
    void a_move_changes_what_an_agent_hears() {
        // Given
        var agent = service.agent(writer, null, "");
        service.record("BEFORE", intern);
        service.record("MARK", writer);
        await().until(() -> agent.types().equals(List.of("MARK")));

        // When
        organisation.put(new Entry(intern, lead, "intern", null, WorkspaceStatus.ONLINE, true));
        service.record("AFTER", intern);

        // Then
        await().until(() -> agent.types().equals(List.of("MARK", "AFTER")));
    }

    @Test
    void a_newcomers_first_event_is_heard_even_when_nobody_hinted_at_it() {
        // Given
        var agent = service.agent(writer, null, "");
        service.record("MARK", writer);
        await().until(() -> agent.types().equals(List.of("MARK")));
        var newcomer = UUID.randomUUID();

        // When
        organisation.addSilently(new Entry(newcomer, lead, "newcomer", null, WorkspaceStatus.PROVISIONING, true));
        service.record("WORKSPACE_PROVISIONING", newcomer);

        // Then
        await().until(() -> agent.types().equals(List.of("MARK", "WORKSPACE_PROVISIONING")));
    }

    @Test
    void an_agent_of_an_unknown_workspace_hears_only_itself() {
        var stranger = UUID.randomUUID();
        var agent = service.agent(stranger, null, "");

        service.record("LEAD", lead);
        service.record("OWN", stranger);

        await().until(() -> agent.types().equals(List.of("OWN")));
    }

    @Test
    void that_house_rules_changed_is_heard_by_every_agent_but_one_that_nobody_let_in() {
        var stranger = UUID.randomUUID();
        organisation.put(new Entry(stranger, null, "stranger", null, WorkspaceStatus.ONLINE, false));
        var agent = service.agent(writer, null, "");
        var unadmitted = service.agent(stranger, null, "");

        service.record("INSTRUCTIONS_CHANGED", null);
        service.record("OWN", writer);
        service.record("OWN", stranger);

        await().until(() -> agent.types().equals(List.of("INSTRUCTIONS_CHANGED", "OWN")));
        await().until(() -> unadmitted.types().equals(List.of("OWN")));
    }

    @Test
    void a_replay_is_filtered_too() {
        // Given
        service.record("LEAD", lead);
        service.record("INTERN", intern);
        service.record("EDITOR", editor);

        // When
        var agent = service.agent(writer, null, "?since=0");
        service.record("LIVE", writer);

        // Then
        await().untilAsserted(() -> assertThat(agent.recorded()).containsExactly("1 LEAD", "3 EDITOR", "4 LIVE"));
    }

    @Test
    void the_registry_is_not_asked_for_every_event() {
        // Given
        var agent = service.agent(writer, null, "");
        service.record("FIRST", writer);
        await().until(() -> agent.heard.size() == 1);
        int before = organisation.asked.get();

        // When
        for (int i = 0; i < 50; i++) {
            service.live("TASK_UPDATED", writer);
        }

        // Then
        await().until(() -> agent.heard.size() == 51);
        assertThat(organisation.asked.get() - before).isLessThan(10); // its age is 2 s
    }

    @Test
    void what_was_said_an_agent_hears_only_where_it_took_part() {
        // Given
        var sibling = service.agent(editor, null, "");
        var itself = service.agent(writer, null, "");
        var canvas = service.canvas("");

        // When
        say("A2A_RESPONSE", "{\"response_body\":\"the answer\",\"method\":\"message/send\",\"duration_ms\":7}");
        say(
                "AGENT_MESSAGE",
                "{\"message\":\"the answer\",\"workspace_id\":\"w\",\"name\":\"writer\",\"attachments\":[]}");
        say("ACTIVITY_LOGGED", "{\"summary\":\"the answer\",\"target_id\":\"%s\",\"tool_trace\":[1]}".formatted(lead));
        say("ACTIVITY_LOGGED", "{\"summary\":\"the answer\",\"target_id\":\"%s\"}".formatted(editor));

        // Then
        await().until(() -> sibling.heard.size() == 4 && itself.heard.size() == 4 && canvas.heard.size() == 4);
        assertThat(payloads(sibling))
                .containsExactly(
                        "{\"method\":\"message/send\",\"duration_ms\":7}",
                        "{\"workspace_id\":\"w\",\"name\":\"writer\"}",
                        "{\"target_id\":\"%s\"}".formatted(lead),
                        "{\"summary\":\"the answer\",\"target_id\":\"%s\"}".formatted(editor));
        assertThat(itself.heard).isEqualTo(canvas.heard).allMatch(event -> event.contains("the answer"));
    }

    @Test
    void nor_does_a_replay_tell_it_more() {
        // Given
        service.log
                .append(
                        service.pool,
                        "DELEGATION_SENT",
                        writer,
                        Json.object()
                                .put("target_id", lead.toString())
                                .put("task_preview", "the secret plan")
                                .put("delegation_id", "the-id-of-it"))
                .await();
        service.log.committed();
        service.awaitRecorded(1);

        // When
        var sibling = service.agent(editor, null, "?since=0");
        var target = service.agent(lead, null, "?since=0");

        // Then
        await().until(() -> sibling.heard.size() == 1 && target.heard.size() == 1);
        assertThat(payloads(sibling)).containsExactly("{\"target_id\":\"%s\"}".formatted(lead));
        assertThat(target.heard.getFirst()).contains("the secret plan", "the-id-of-it");
    }

    /** Who knows the id of a task, or of the message that began it, may ask its agent for it. */
    @Test
    void nor_is_it_told_by_what_id_to_ask_for_it() {
        // Given
        var sibling = service.agent(editor, null, "");
        var itself = service.agent(writer, null, "");

        // When
        say(
                "DELEGATION_STATUS",
                "{\"delegation_id\":\"an-id\",\"target_id\":\"%s\",\"status\":\"dispatched\"}".formatted(lead));
        say(
                "TASK_WAITING",
                "{\"task_id\":\"an-id\",\"context_id\":\"an-id\",\"asks_for\":\"input\",\"question\":\"May I?\"}");
        say("APPROVAL_DECIDED", "{\"approval_id\":\"a\",\"status\":\"approved\",\"task_id\":\"an-id\"}");
        say("LIMIT_LEVEL", "{\"of\":\"work\",\"title\":\"an-id\",\"percent\":80}");
        say("RUN_COST_UNUSUAL", "{\"id\":\"an-id\",\"title\":\"a title\",\"kind\":\"schedule:an-id\",\"runs\":10}");

        // Then
        await().until(() -> sibling.heard.size() == 5 && itself.heard.size() == 5);
        assertThat(sibling.heard).noneMatch(event -> event.contains("an-id") || event.contains("a title"));
        assertThat(itself.heard).allMatch(event -> event.contains("an-id"));
    }

    @Test
    void a_stranger_that_nobody_let_in_hears_itself_alone_and_is_heard_by_no_agent() {
        // Given
        var stranger = organisation.addStranger("Oracle");
        var listening = service.agent(stranger, null, "");
        var root = service.agent(lead, null, "");
        var canvas = service.canvas("");

        // When
        service.record("ROOT", lead);
        service.record("STRANGER", stranger);
        service.record("LAST", lead);

        // Then
        await().until(() -> canvas.types().equals(List.of("ROOT", "STRANGER", "LAST")));
        await().until(() -> root.types().contains("LAST") && listening.types().contains("STRANGER"));
        assertThat(listening.types()).containsExactly("STRANGER");
        assertThat(root.types()).containsExactly("ROOT", "LAST");
    }

    @Test
    void once_somebody_let_it_in_it_hears_the_other_roots() {
        // Given
        var stranger = organisation.addStranger("Oracle");
        var listening = service.agent(stranger, null, "");
        service.record("BEFORE", lead);
        service.record("OWN", stranger);
        await().until(() -> listening.types().contains("OWN"));

        // When
        organisation.put(new Entry(stranger, null, "Oracle", null, WorkspaceStatus.ONLINE, true));
        service.record("AFTER", lead);

        // Then
        await().until(() -> listening.types().equals(List.of("OWN", "AFTER")));
    }

    @Test
    void in_development_it_is_told_the_real_one() {
        var agent = service.agent(writer, null, "");

        new LiveEvent("AGENT_CARD_UPDATED", editor, Instant.now(), (ObjectNode)
                        Json.stored("{\"agent_card\":{\"url\":\"http://10.0.0.7:9\"}}"))
                .publishOn(service.bus);

        await().until(() -> agent.heard.size() == 1);
        assertThat(agent.heard.getFirst()).contains("http://10.0.0.7:9");
    }

    private void say(String type, String payload) {
        new LiveEvent(type, writer, Instant.now(), (ObjectNode) Json.stored(payload)).publishOn(service.bus);
    }

    private static List<String> payloads(Peer peer) {
        return peer.events().stream()
                .map(event -> event.path("payload").toString())
                .toList();
    }
}
