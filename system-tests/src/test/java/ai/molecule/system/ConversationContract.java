package ai.molecule.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** An organisation of three agents at work; the same in one JVM and as four services. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ConversationContract {

    private Platform platform;
    private EventStream canvas;
    private String lead;
    private String researcher;
    private String writer;

    abstract String[] options();

    @BeforeAll
    void startAnOrganisation(@TempDir Path data) {
        platform = Platform.up(data, options());
        canvas = new EventStream(platform);
        lead = platform.create("Lead", "delegate", null);
        researcher = platform.create("Researcher", "echo", lead);
        writer = platform.create("Writer", "echo", lead);
        platform.awaitStatus(lead, "online");
        platform.awaitStatus(researcher, "online");
        platform.awaitStatus(writer, "online");
    }

    @AfterAll
    void stop() {
        canvas.close();
        platform.close();
    }

    Platform platform() {
        return platform;
    }

    @Test
    void a_message_through_the_front_door_makes_one_agent_ask_others_directly() {
        String answer = platform.say(lead, "ask Researcher: what do we know?\nask Writer: say hello");

        assertThat(answer).contains("Researcher: Echo: what do we know?").contains("Writer: Echo: say hello");
    }

    @Test
    void the_conversation_is_in_the_activity_of_the_agent() {
        platform.say(researcher, "remember me");

        await().untilAsserted(() -> assertThat(
                        platform.get("/workspaces/" + researcher + "/activity?type=a2a_receive&source=canvas")
                                .findValuesAsText("text"))
                .contains("remember me", "Echo: remember me"));
    }

    @Test
    void what_agents_say_to_each_other_stands_with_both_of_them_whatever_way_it_took() {
        platform.say(lead, "ask Writer: said directly");
        platform.sayAs(lead, writer, "said through the front door");
        platform.post(
                202,
                "/workspaces/" + lead + "/delegate",
                "{\"target_id\":\"" + writer + "\",\"task\":\"said by delegation\"}");

        await().untilAsserted(() -> assertThat(List.of(saidAt(lead), saidAt(writer)))
                .allSatisfy(said -> assertThat(said)
                        .contains("said directly", "said through the front door", "said by delegation")));
    }

    private String saidAt(String agent) {
        return platform.get("/workspaces/" + agent + "/activity?source=agent&limit=50")
                .toString();
    }

    @Test
    void the_canvas_hears_the_answer_before_the_activity_and_recorded_events_in_order() {
        canvas.forget();

        platform.say(writer, "hello");

        await().untilAsserted(() -> assertThat(canvas.namesOf(writer)).contains("A2A_RESPONSE", "ACTIVITY_LOGGED"));
        assertThat(canvas.namesOf(writer)).containsSubsequence("A2A_RESPONSE", "ACTIVITY_LOGGED");
        assertThat(canvas.positions()).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void an_agent_that_is_killed_comes_back_and_answers() {
        canvas.forget();
        var agent = platform.agentProcess(researcher);

        agent.destroyForcibly();

        await().untilAsserted(() -> assertThat(canvas.namesOf(researcher))
                .containsSubsequence("WORKSPACE_OFFLINE", "WORKSPACE_PROVISIONING", "WORKSPACE_ONLINE"));
        platform.awaitStatus(researcher, "online");
        assertThat(platform.agentProcess(researcher).pid()).isNotEqualTo(agent.pid());
        assertThat(platform.say(researcher, "back?")).isEqualTo("Echo: back?");
    }

    @Test
    void a_paused_agent_stops_and_a_resumed_one_answers() {
        platform.post(200, "/workspaces/" + writer + "/pause", "");
        assertThat(platform.status(writer)).isEqualTo("paused");
        assertThat(platform.agentProcesses()).hasSize(2);

        platform.post(200, "/workspaces/" + writer + "/resume", "");

        platform.awaitStatus(writer, "online");
        assertThat(platform.say(writer, "awake?")).isEqualTo("Echo: awake?");
    }

    @Test
    void an_agent_without_what_its_runtime_needs_ends_in_failed_with_a_sentence_that_says_so() {
        canvas.forget();
        String odd = platform.create("Odd", "langgraph", null);

        platform.awaitStatus(odd, "failed");

        await().untilAsserted(() -> assertThat(canvas.namesOf(odd)).contains("WORKSPACE_PROVISION_FAILED"));
        assertThat(canvas.events().toString()).contains("workspace start failed: preflight failed: Model: ");
        platform.delete("/workspaces/" + odd);
    }

    @Test
    void standard_output_carries_the_ready_line_and_nothing_else() {
        assertThat(platform.standardOutput()).isEqualTo("molecule ready: " + platform.url + "\n");
    }

    @Test
    void bad_requests_are_answered_in_json_through_the_front_door() {
        assertThat(platform.post(400, "/workspaces", "{\"name\":").get("error").asText())
                .isEqualTo("invalid workspace payload");
        assertThat(platform.post(404, "/no/such/path", "{}").get("error").asText())
                .isEqualTo("not found");
        assertThat(platform.post(413, "/workspaces/" + lead + "/a2a", "\"" + "x".repeat(1_100_000) + "\"")
                        .has("error"))
                .isTrue();
        assertThat(platform.post(400, "/workspaces/" + lead + "/a2a", "not json")
                        .get("error")
                        .asText())
                .isEqualTo("invalid JSON");
    }
}
