package ai.molecule.runtime.delegate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ai.molecule.runtime.RunningAgents;
import ai.molecule.runtime.StandInPlatform;
import ai.molecule.runtime.agent.AgentFailure;
import ai.molecule.runtime.agent.Prompt;
import ai.molecule.runtime.agent.RecordingReply;
import ai.molecule.sdk.A2aClient;
import ai.molecule.sdk.ClientConfig;
import ai.molecule.sdk.TokenFile;
import ai.molecule.sdk.TraceContext;
import ai.molecule.sdk.WorkspaceClient;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A delegating agent and two echoing ones, all real, on one stand-in platform. */
class DelegatingTest {

    @TempDir
    private Path home;

    private RunningAgents agents;
    private String boss;

    @BeforeEach
    void startAgents() throws Exception {
        agents = new RunningAgents(home);
        agents.start("ws-ann", "Ann", "echo");
        agents.start("ws-bob", "Bob", "echo");
        boss = agents.start("ws-boss", "Boss", "delegate");
        await().until(() -> agents.platform.workspaces.size() == 3);
    }

    @AfterEach
    void stopAgents() {
        agents.close();
    }

    @Test
    void every_peer_that_is_asked_answers_on_a_line_of_its_own_in_the_order_of_the_asks() {
        assertThat(tell("Please do this.\nask Bob: count the ships\n  ASK ann : how is: the weather?\nThank you"))
                .isEqualTo("Bob: Echo: count the ships\nAnn: Echo: how is: the weather?");
    }

    @Test
    void a_peer_that_does_not_exist_gets_a_line_that_says_so_and_the_others_answer() {
        assertThat(tell("ask Zoe: hello\nask Bob: hello")).isEqualTo("Zoe: no peer has this name\nBob: Echo: hello");
    }

    @Test
    void of_several_peers_with_one_name_the_closest_is_asked_and_among_equals_the_one_whose_id_is_given() {
        agents.platform.descriptions.put("ws-boss", "{\"id\":\"ws-boss\",\"parent_id\":\"ws-ann\"}");
        isNamed("ws-ann", "Bob", "");
        assertThat(tell("ask Bob: hello")).isEqualTo("Bob: Echo: hello");

        agents.platform.descriptions.put("ws-boss", "{\"id\":\"ws-boss\",\"parent_id\":null}");
        assertThat(tell("ask Bob: hello"))
                .isEqualTo("Bob: several peers have this name, ask one by its id: ws-ann, ws-bob");
        assertThat(tell("ask ws-ann: hello")).isEqualTo("Bob: Echo: hello");

        isNamed("ws-bob", "Bob", "ws-boss");
        agents.stop("ws-ann");
        assertThat(tell("ask Bob: hello")).isEqualTo("Bob: Echo: hello");
    }

    @Test
    void what_a_peer_is_asked_goes_through_the_platform_with_the_asking_agents_bearer_and_nowhere_else()
            throws Exception {
        List<String> shown = new CopyOnWriteArrayList<>();
        var listener = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        listener.createContext("/", exchange -> {
            shown.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
            exchange.sendResponseHeaders(503, -1);
            exchange.close();
        });
        listener.start();
        try {
            String url = "http://127.0.0.1:" + listener.getAddress().getPort();
            var oracle = new StandInPlatform.Registered("ws-oracle", "Oracle", url, MissingNode.getInstance(), "", "");
            agents.platform.workspaces.put("ws-oracle", oracle);

            tell("ask Oracle: hello\nask Bob: hello");

            assertThat(shown).containsExactly("null");
            assertThat(agents.platform.carried)
                    .containsExactlyInAnyOrder(
                            "ws-boss -> ws-oracle: Bearer token-of-ws-boss",
                            "ws-boss -> ws-bob: Bearer token-of-ws-boss");
            assertThat(agents.platform.activities)
                    .extracting(note -> note.path("summary").asText())
                    .containsExactlyInAnyOrder(
                            "Delegating to Oracle",
                            "Delegating to Bob",
                            "Oracle failed: no reason given",
                            "Bob responded (11 chars)");
        } finally {
            listener.stop(0);
        }
    }

    @Test
    void a_peer_that_is_away_gets_a_line_that_says_so() {
        agents.stop("ws-ann");

        assertThat(tell("ask Ann: hello\nask Bob: hello"))
                .startsWith("Ann: gave no answer (failed to reach workspace agent")
                .endsWith("\nBob: Echo: hello");
    }

    @Test
    void somebody_else_behind_a_peers_address_is_noticed() {
        var ann = agents.platform.registered("ws-ann");
        agents.platform.workspaces.put(
                "ws-bob", new StandInPlatform.Registered("ws-bob", "Bob", ann.url(), ann.card(), "", ""));

        assertThat(tell("ask Bob: hello")).isEqualTo("Bob: gave no answer (this is not workspace ws-bob)");
    }

    @Test
    void who_is_asked_learns_of_the_trace_the_message_came_with_and_a_message_without_one_makes_none()
            throws Exception {
        String trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        List<String> seen = new CopyOnWriteArrayList<>();
        var bob = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        bob.createContext("/", exchange -> {
            var headers = exchange.getRequestHeaders();
            seen.add(headers.getFirst("traceparent") + " " + headers.getFirst("tracestate"));
            exchange.sendResponseHeaders(503, -1);
            exchange.close();
        });
        bob.start();
        try {
            String url = "http://127.0.0.1:" + bob.getAddress().getPort();
            var known = agents.platform.registered("ws-bob");
            agents.platform.workspaces.put(
                    "ws-bob", new StandInPlatform.Registered("ws-bob", "Bob", url, known.card(), "", ""));

            TraceContext.of(Optional.of(trace), Optional.of("vendor=1")).during(() -> tell("ask Bob: hello"));
            tell("ask Bob: hello");

            assertThat(seen).containsExactly(trace + " vendor=1", "null null");
        } finally {
            bob.stop(0);
        }
    }

    @Test
    void an_agent_of_an_organisation_names_it_with_every_request() throws Exception {
        agents.platform.organisation = Optional.of("acme");
        boss = agents.start("ws-chief", "Chief", "delegate", Map.of("MOLECULE_ORG_ID", "acme"));
        await().until(() -> agents.platform.workspaces.size() == 4);

        assertThat(tell("ask Bob: hello")).isEqualTo("Bob: Echo: hello");
    }

    @Test
    void a_message_without_asks_is_answered_with_how_to_ask() {
        assertThat(tell("hello")).isEqualTo("Tell me whom to ask, one line each: ask <peer name>: <text>");
    }

    @Test
    void too_many_asks_are_refused() {
        assertThat(tell("ask Bob: hello\n".repeat(DelegateExecutor.ASKS_MAX + 1)))
                .isEqualTo("Agent error: at most 32 peers can be asked in one message");
    }

    @Test
    void the_initial_prompt_hands_nothing_on() {
        var prompt = new Prompt(
                "t",
                "c",
                "ask Bob: hello",
                new ObjectMapper().createObjectNode().put("messageId", "initial-12345678"),
                MissingNode.getInstance());
        var client = ClientConfig.of("ws-boss", agents.platform.url(), TokenFile.in(home));
        var executor = new DelegateExecutor(new WorkspaceClient(client), Duration.ofSeconds(1));

        assertThatThrownBy(() -> executor.answer(prompt, new RecordingReply()))
                .isInstanceOf(AgentFailure.class)
                .hasMessageContaining("the initial prompt hands nothing on");
    }

    @Test
    void without_the_platform_nobody_can_be_asked() {
        agents.platform.close();

        assertThat(tell("ask Bob: hello")).startsWith("Agent error: the platform did not say who the peers are");
    }

    @Test
    void an_ask_needs_a_name_and_words() {
        assertThat(Ask.in("ask : x\nask Bob:\nasking Bob: x\nask Bob the Second:x"))
                .containsExactly(new Ask("Bob the Second", "x"));
    }

    private void isNamed(String id, String name, String parentId) {
        var known = agents.platform.registered(id);
        agents.platform.workspaces.put(
                id, new StandInPlatform.Registered(id, name, known.url(), known.card(), known.bearer(), parentId));
    }

    private String tell(String text) {
        var client = new A2aClient(ClientConfig.of("ws-user", agents.platform.url(), TokenFile.in(home)));
        return client.send(URI.create(boss), Optional.empty(), text, Duration.ofSeconds(20))
                .text();
    }
}
