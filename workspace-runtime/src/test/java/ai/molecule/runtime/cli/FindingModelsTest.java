package ai.molecule.runtime.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.runtime.agent.AgentSetup;
import ai.molecule.runtime.agent.Prompt;
import ai.molecule.runtime.agent.RecordingReply;
import ai.molecule.runtime.tools.DelegationRows;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How programs that ask models by themselves find the platform's door, with curl in their place. */
class FindingModelsTest {

    private record Asked(String method, String path, Map<String, List<String>> headers, String body) {}

    @TempDir
    private Path folder;

    private final RecordingReply reply = new RecordingReply();
    private final List<Asked> asked = new CopyOnWriteArrayList<>();
    private HttpServer door;

    @BeforeEach
    void open() throws IOException {
        door = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        door.createContext("/", this::answer);
        door.start();
    }

    @AfterEach
    void close() {
        door.stop(0);
    }

    @Test
    void what_they_ask_goes_there_with_key_and_purpose_and_the_answer_comes_back() throws Exception {
        run("curl -sS -H \"x-api-key: $ANTHROPIC_API_KEY\" -H 'anthropic-version: 1' -d '{\"model\":\"m\"}'"
                + " \"$ANTHROPIC_BASE_URL/v1/messages?beta=true\"");

        assertThat(reply.answer()).isEqualTo("the answer");
        assertThat(asked).singleElement().satisfies(one -> {
            assertThat(one.method + " " + one.path + " " + one.body)
                    .isEqualTo("POST /models/anthropic/v1/messages?beta=true {\"model\":\"m\"}");
            assertThat(one.headers)
                    .containsEntry("Authorization", List.of("Bearer sk-door"))
                    .containsEntry("X-molecule-context", List.of("d-1"))
                    .containsEntry("Anthropic-version", List.of("1"))
                    .doesNotContainKey("X-api-key");
        });
    }

    @Test
    void they_hold_nothing_that_opens_the_door_itself() throws Exception {
        run("env");

        assertThat(reply.answer())
                .contains("OPENAI_API_KEY=" + ModelPort.NO_KEY, "GOOGLE_GEMINI_BASE_URL=http://localhost:")
                .doesNotContain("sk-door", "MOLECULE_MODEL_");
    }

    @Test
    void a_path_is_closed_when_its_task_is_over() throws Exception {
        Path url = folder.resolve("url");
        var executor = executor(
                "if [ -e '%1$s' ]; then curl -sS \"$(cat '%1$s')/models\"; else printf %%s \"$OPENAI_BASE_URL\" > '%1$s'; echo kept; fi"
                        .formatted(url));
        executor.answer(prompt(), new RecordingReply());

        executor.answer(prompt(), reply);
        executor.close();

        assertThat(url).content().startsWith("http://127.0.0.1:");
        assertThat(reply.answer()).contains("no such task");
        assertThat(asked).isEmpty();
    }

    @Test
    void a_program_without_a_key_keeps_its_own_login() throws Exception {
        var environment = environment();
        environment.keySet().removeIf(name -> name.startsWith("ANTHROPIC_"));
        var executor = executor("printf \"[$ANTHROPIC_BASE_URL]\"", environment);

        executor.answer(prompt(), reply);
        executor.close();

        assertThat(reply.answer()).isEqualTo("[]");
    }

    @Test
    void what_an_agent_waits_for_is_the_purpose_of_the_message_that_handed_it_on() {
        var handedOn = JsonNodeFactory.instance.objectNode().put("messageId", DelegationRows.MESSAGE_ID + "1");
        var said = JsonNodeFactory.instance.objectNode().put("messageId", "m-1");
        var none = JsonNodeFactory.instance.objectNode();

        assertThat(new Prompt("t", "c-1", "x", handedOn, none).purpose()).contains("delegate-1");
        assertThat(new Prompt("t", "c-1", "x", said, none).purpose()).contains("c-1");
        assertThat(new Prompt(
                                "t",
                                "c-1",
                                "x",
                                handedOn,
                                JsonNodeFactory.instance.objectNode().put("delegation_id", "d-1"))
                        .purpose())
                .contains("d-1");
    }

    private void run(String script) throws Exception {
        var executor = executor(script);
        executor.answer(prompt(), reply);
        executor.close();
    }

    private CliExecutor executor(String script) throws IOException {
        return executor(script, environment());
    }

    private CliExecutor executor(String script, Map<String, String> environment) throws IOException {
        Path program = Files.writeString(Files.createTempFile(folder, "program", ".sh"), script + "\n");
        return new CliExecutor(
                new AgentSetup("cli", "", "/bin/sh", List.of(program.toString()), 0, () -> "", environment));
    }

    private Map<String, String> environment() {
        Map<String, String> environment = new HashMap<>();
        environment.put("PATH", "/usr/local/bin:/usr/bin:/bin");
        environment.put(
                "MOLECULE_MODEL_DOOR", "http://127.0.0.1:" + door.getAddress().getPort() + "/models");
        environment.put("MOLECULE_MODEL_KEY", "sk-door");
        for (String program : List.of("OPENAI", "ANTHROPIC", "GEMINI")) {
            environment.put(program + "_API_KEY", "sk-door");
        }
        return environment;
    }

    private static Prompt prompt() throws IOException {
        var message = new ObjectMapper().readTree("{\"messageId\":\"m\",\"metadata\":{\"delegation_id\":\"d-1\"}}");
        return new Prompt("t-1", "c-1", "hello", message, MissingNode.getInstance());
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            asked.add(new Asked(
                    exchange.getRequestMethod(),
                    exchange.getRequestURI().toString(),
                    Map.copyOf(exchange.getRequestHeaders()),
                    body));
            byte[] answer = "the answer".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
        }
    }
}
