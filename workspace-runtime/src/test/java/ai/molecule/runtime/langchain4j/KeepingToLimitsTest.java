package ai.molecule.runtime.langchain4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.runtime.agent.AgentSetup;
import ai.molecule.runtime.agent.Prompt;
import ai.molecule.runtime.agent.Reply;
import ai.molecule.runtime.agent.StepJournal;
import ai.molecule.runtime.agent.TaskLimits;
import ai.molecule.runtime.tools.Section;
import ai.molecule.runtime.tools.ToolSource;
import ai.molecule.runtime.tools.ToolSpec;
import ai.molecule.runtime.tools.Toolbox;
import ai.molecule.runtime.tools.Workspaces;
import ai.molecule.sdk.ClientConfig;
import ai.molecule.sdk.TokenFile;
import ai.molecule.sdk.WorkspaceClient;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A task that reached what it may cost or take stops before its tools run, says so, and goes on when it is told to. */
class KeepingToLimitsTest {

    private static final TaskLimits.Price DOLLAR = new TaskLimits.Price(new BigDecimal("1"), new BigDecimal("1"));
    private static final String SCRIPT = "script:\ncall count\ncall count\ncall count\ncall count";

    private final AtomicInteger counted = new AtomicInteger();
    private final List<String> asked = new ArrayList<>();
    private final StringBuilder said = new StringBuilder();
    private final List<JsonNode> kept = new ArrayList<>();

    @SuppressWarnings("NullAway.Init")
    private ScriptedEndpoint endpoint;

    @BeforeEach
    void start() throws Exception {
        endpoint = new ScriptedEndpoint();
        endpoint.tokens.set(50_000); // each turn: 100,000 tokens, $0.10
    }

    @AfterEach
    void stop() {
        endpoint.close();
    }

    @Test
    void it_stops_at_what_it_may_cost_and_its_next_words_let_it_go_on_for_as_much_again() throws Exception {
        var limits = new TaskLimits(0, 0, 200_000, DOLLAR);

        answer(limits, SCRIPT);

        assertThat(asked)
                .containsExactly("I have stopped in the middle of this task: it may cost $0.20, and it has cost $0.20. "
                        + "Answer, and I go on for as much again; cancel it, and it ends here.");
        assertThat(counted).as("the second turn's tool waits").hasValue(1);

        answer(limits, "but hurry");

        assertThat(counted).hasValue(2);
        assertThat(asked).hasSize(1);
        assertThat(said).asString().endsWith("You said: but hurry");
        assertThat(endpoint.requests).hasSize(3);
    }

    @Test
    void what_it_took_before_its_agent_ended_counts() throws Exception {
        var limits = new TaskLimits(0, 3, 0, null);
        answer(new TaskLimits(0, 2, 0, null), SCRIPT);
        kept.removeLast(); // it never came to asking

        answer(limits, SCRIPT);

        assertThat(endpoint.requests).hasSize(3);
        assertThat(asked).last().asString().contains("it may take 3 steps of its model, and it has cost an amount");
    }

    @Test
    void the_price_is_what_the_platforms_door_says() throws Exception {
        endpoint.price.set("1 3");

        answer(
                new TaskLimits(0, 0, 150_000, null),
                SCRIPT,
                Map.of(
                        "MOLECULE_MODEL_DOOR", endpoint.url().replace("/v1", ""),
                        "MOLECULE_MODEL_KEY", "k",
                        "MOLECULE_MODEL_PROVIDERS", "openai:+"));

        assertThat(asked).singleElement().asString().contains("it may cost $0.15, and it has cost $0.20.");
        assertThat(endpoint.requests).hasSize(1);
        assertThat(counted).hasValue(0);
    }

    @Test
    void where_nobody_knows_the_price_it_does_not_go_on_as_if_there_were_none() {
        assertThatThrownBy(() -> answer(new TaskLimits(0, 0, 200_000, null), SCRIPT))
                .hasMessageContaining("no_price");
        assertThat(counted).hasValue(0);
    }

    private void answer(TaskLimits limits, String text) throws Exception {
        answer(limits, text, Map.of("OPENAI_BASE_URL", endpoint.url()));
    }

    private void answer(TaskLimits limits, String text, Map<String, String> environment) throws Exception {
        var setup = new AgentSetup(
                "langgraph", "openai:scripted", "", List.of(), 0, limits, () -> "", new HashMap<>(environment));
        var prompt = new Prompt("t", "c", text, MissingNode.getInstance(), MissingNode.getInstance());
        var executor = new ModelExecutor(
                setup,
                List.of(counting()),
                ToolSource.NONE,
                nowhere(),
                Duration.ofMinutes(1),
                Clock.systemUTC(),
                pause -> {});
        executor.answer(prompt, new KeptReply());
    }

    private ToolSpec counting() {
        var schema = JsonNodeFactory.instance.objectNode().put("type", "object");
        schema.putObject("properties");
        return new ToolSpec(
                "count",
                "Counts.",
                "When it fits.",
                schema,
                (toolbox, arguments) -> String.valueOf(counted.incrementAndGet()),
                Section.A2A,
                false);
    }

    private static Toolbox nowhere() {
        var nobody = new WorkspaceClient(ClientConfig.of("w", "http://127.0.0.1:1", TokenFile.in(Path.of("nowhere"))));
        return new Toolbox(new Workspaces(List.of(nobody)), Optional.empty());
    }

    private final class KeptReply implements Reply {
        @Override
        public void chunk(String text) {
            said.append(text);
        }

        @Override
        public void text(String text) {
            said.append(text);
        }

        @Override
        public void ask(String question) {
            asked.add(question);
        }

        @Override
        public StepJournal steps() {
            return new StepJournal() {
                @Override
                public List<JsonNode> done() {
                    return List.copyOf(kept);
                }

                @Override
                public boolean keep(ObjectNode step, String words) {
                    return kept.add(step);
                }
            };
        }
    }
}
