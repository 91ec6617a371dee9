package ai.molecule.runtime.langchain4j;

import static ai.molecule.runtime.agent.Background.inBackground;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ai.molecule.runtime.agent.AgentFailure;
import ai.molecule.runtime.agent.AgentSetup;
import ai.molecule.runtime.agent.NotReady;
import ai.molecule.runtime.agent.Prompt;
import ai.molecule.runtime.agent.RecordingReply;
import ai.molecule.runtime.agent.Reply;
import ai.molecule.runtime.agent.StepJournal;
import ai.molecule.runtime.tools.Parked;
import ai.molecule.runtime.tools.ToolSource;
import ai.molecule.runtime.tools.Toolbox;
import ai.molecule.runtime.tools.Workspaces;
import ai.molecule.sdk.ClientConfig;
import ai.molecule.sdk.TokenFile;
import ai.molecule.sdk.TraceContext;
import ai.molecule.sdk.WorkspaceClient;
import ai.molecule.sdk.identity.Passport;
import ai.molecule.testkit.Waits;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A model that is scripted, behind a real endpoint: what it says, and all the ways it can fail. */
class AskingAModelTest {

    private final RecordingReply reply = new RecordingReply();
    private final List<Duration> pauses = new CopyOnWriteArrayList<>();
    private ScriptedEndpoint endpoint;
    private ModelExecutor executor;

    @BeforeEach
    void start() throws Exception {
        endpoint = new ScriptedEndpoint();
        executor = executor(Waits.PATIENCE);
    }

    @AfterEach
    void stop() {
        endpoint.close();
    }

    @Test
    void the_models_words_are_the_answer_piece_by_piece() throws Exception {
        executor.answer(prompt("hello big world"), reply);

        assertThat(reply.pieces).containsExactly("You ", "said: ", "hello ", "big ", "world");
        assertThat(endpoint.keys).containsExactly("Bearer sk-secret");
        assertThat(endpoint.requests.getFirst().path("model").asText()).isEqualTo("gpt-test");
        assertThat(endpoint.requests.getFirst().path("stream").asBoolean()).isTrue();
    }

    @Test
    void words_are_seen_while_the_model_still_speaks() {
        var run = inBackground(() -> executor.answer(prompt("stall"), reply));
        await().until(() -> reply.answer().equals("one "));

        endpoint.release.countDown();

        run.join();
        assertThat(reply.answer()).isEqualTo("one two");
    }

    @Test
    void the_model_is_told_what_it_is_and_what_was_said_before() throws Exception {
        var metadata = new ObjectMapper().readTree("""
                {"history":[{"role":"user","parts":[{"kind":"text","text":"hi"}]},{"role":"agent","parts":[{"text":"hello"}]}]}""");

        executor.answer(prompt("and now?", metadata), reply);

        assertThat(endpoint.requests.getFirst().path("messages").toString())
                .isEqualTo(
                        "[{\"role\":\"system\",\"content\":\"You plan.\"},{\"role\":\"user\",\"content\":\"hi\"},"
                                + "{\"role\":\"assistant\",\"content\":\"hello\"},{\"role\":\"user\",\"content\":\"and now?\"}]");
    }

    @Test
    void the_model_is_told_who_speaks_by_the_passport_of_the_work() throws Exception {
        String claims =
                "{\"jti\":\"j\",\"sub\":\"webhook:github\",\"name\":\"webhook:github\",\"aud_name\":\"Me\",\"exp\":4000000000,"
                        + "\"act\":{\"name\":\"Lead\"}}";
        String jws =
                "e30." + Base64.getUrlEncoder().withoutPadding().encodeToString(claims.getBytes(StandardCharsets.UTF_8))
                        + ".AA";
        var work = TraceContext.of(Optional.empty(), Optional.empty()).under(Passport.kept(jws));

        work.during(() -> {
            try {
                executor.answer(prompt("hello"), reply);
                return Optional.empty();
            } catch (InterruptedException stopped) {
                throw new AssertionError(stopped);
            }
        });

        assertThat(endpoint.requests.getFirst().at("/messages/1/content").asText())
                .isEqualTo(
                        "[Sender, as the platform knows it: the agent \"Lead\", on behalf of the webhook \"github\", by which anybody may speak]\n\nhello");
    }

    @ParameterizedTest
    @CsvSource({
        "status 429,rate_limited",
        "status 401,auth_failed",
        "no price,no_price",
        "status 404,model_not_found",
        "status 400,request_refused",
        "status 503,model_unavailable",
        "status 503 after 3600,model_unavailable",
        "status 302,bad_answer",
        "page,bad_answer",
        "junk,bad_answer",
        "empty,bad_answer",
        "endless line,bad_answer",
        "break,bad_answer"
    })
    void an_endpoint_that_fails_or_lies_is_told_by_its_kind_and_the_next_message_is_answered(String script, String kind)
            throws Exception {
        assertThatThrownBy(() -> executor.answer(prompt(script), new RecordingReply()))
                .isInstanceOf(AgentFailure.class)
                .hasMessage("the model failed (" + kind + "), see the workspace log");
        assertThat(executor.wedged().isPresent())
                .as("only a person can put this right")
                .isEqualTo(List.of("auth_failed", "model_not_found").contains(kind));

        executor.answer(prompt("still there?"), reply);

        assertThat(reply.answer()).isEqualTo("You said: still there?");
        assertThat(executor.wedged()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "status 429",
                "status 503",
                "status 529 after 2",
                "status 429 after Thu, 01 Jan 1970 00:00:00 GMT"
            })
    void one_that_has_no_room_for_a_moment_is_asked_again(String script) throws Exception {
        endpoint.refusals.set(2);

        executor.answer(prompt(script), reply);

        assertThat(reply.answer()).isEqualTo("You said: " + script);
        assertThat(endpoint.requests).hasSize(3);
        assertThat(pauses).hasSize(2).allSatisfy(pause -> {
            if (script.endsWith("after 2")) {
                assertThat(pause).isBetween(Duration.ofSeconds(2), Duration.ofMillis(2500));
            } else if (script.endsWith("GMT")) {
                assertThat(pause).isZero();
            } else {
                assertThat(pause).isBetween(Duration.ofSeconds(1), Duration.ofMillis(2500));
            }
        });
    }

    @Test
    void one_that_never_has_room_or_wants_an_hour_or_has_begun_to_speak_is_not_asked_for_ever() {
        assertThatThrownBy(() -> executor.answer(prompt("status 429"), reply)).hasMessageContaining("rate_limited");
        assertThat(endpoint.requests).hasSize(1 + ModelRetries.RETRIES_MAX);

        assertThatThrownBy(() -> executor.answer(prompt("status 429 after 3600"), reply))
                .hasMessageContaining("rate_limited");
        assertThatThrownBy(() -> executor.answer(prompt("status 400"), reply)).hasMessageContaining("request_refused");
        assertThatThrownBy(() -> executor.answer(prompt("break"), reply)).hasMessageContaining("bad_answer");
        assertThat(endpoint.requests).hasSize(1 + ModelRetries.RETRIES_MAX + 3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"hang", "stall"})
    void a_model_that_falls_silent_is_given_up(String script) {
        assertThatThrownBy(() -> executor(Duration.ofMillis(300)).answer(prompt(script), reply))
                .hasMessage("the model failed (timeout), see the workspace log");
    }

    @Test
    void a_model_that_cannot_be_reached_is_unavailable() {
        endpoint.close();

        assertThatThrownBy(() -> executor.answer(prompt("hello"), reply))
                .hasMessage("the model failed (model_unavailable), see the workspace log");
    }

    @ParameterizedTest
    @ValueSource(strings = {"hang", "stall", "endless"})
    void canceling_ends_the_call(String script) throws Exception {
        var thread = new CompletableFuture<Thread>();
        var run = inBackground(() -> {
            thread.complete(Thread.currentThread());
            executor.answer(prompt(script), reply);
        });
        await().until(() -> !endpoint.requests.isEmpty() && (script.equals("hang") || !reply.pieces.isEmpty()));

        thread.join().interrupt();

        assertThatThrownBy(run::join).hasCauseInstanceOf(InterruptedException.class);
        if (script.equals("endless")) {
            assertThat(endpoint.left.await(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void a_model_that_never_stops_is_left_when_nobody_takes_more() throws Exception {
        Reply full = new Reply() {
            private int pieces;

            @Override
            public void chunk(String text) {
                if (++pieces > 100) {
                    throw new AgentFailure("the answer is larger than the agent can hold");
                }
            }

            @Override
            public void text(String text) {
                chunk(text);
            }

            @Override
            public void ask(String question) {}
        };

        assertThatThrownBy(() -> executor.answer(prompt("endless"), full))
                .hasMessage("the answer is larger than the agent can hold");

        assertThat(endpoint.left.await(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void what_is_missing_is_one_sentence_before_the_start() {
        assertThatThrownBy(() -> executor("openai:gpt-test", Map.of(), Waits.PATIENCE))
                .isInstanceOf(NotReady.class)
                .hasMessage("OPENAI_API_KEY is not set");
        assertThatThrownBy(() -> executor("anthropic:opus", Map.of("OPENAI_API_KEY", "sk-1"), Waits.PATIENCE))
                .hasMessage("model anthropic:opus is not OpenAI's, and OPENAI_BASE_URL is not set");
        assertThatThrownBy(() -> executor("openai:x", Map.of("OPENAI_BASE_URL", "ftp://user:pw@x"), Waits.PATIENCE))
                .hasMessage("OPENAI_BASE_URL is not an http or https URL");
    }

    @Test
    void an_endpoint_of_ones_own_needs_no_key_and_names_models_as_it_likes() throws Exception {
        executor("llama3:8b", Map.of("OPENAI_BASE_URL", endpoint.url()), Waits.PATIENCE)
                .answer(prompt("hi"), reply);

        assertThat(reply.answer()).isEqualTo("You said: hi");
        assertThat(endpoint.requests.getFirst().path("model").asText()).isEqualTo("llama3:8b");
        assertThat(endpoint.keys).containsExactly("null");
    }

    @Test
    void at_the_platforms_door_a_call_says_whose_model_it_wants_and_what_it_is_for() throws Exception {
        var environment = Map.of(
                "MOLECULE_MODEL_DOOR", endpoint.url().replace("/v1", ""),
                "MOLECULE_MODEL_KEY", "sk-door",
                "MOLECULE_MODEL_PROVIDERS", "anthropic:+ openai:OPENAI_API_KEY",
                "OPENAI_BASE_URL", "http://127.0.0.1:1/v1",
                "OPENAI_API_KEY", "sk-own");

        executor("anthropic:sonnet", environment, Waits.PATIENCE).answer(prompt("hi"), reply);

        assertThat(reply.answer()).isEqualTo("You said: hi");
        assertThat(endpoint.requests.getFirst().path("model").asText()).isEqualTo("anthropic:sonnet");
        assertThat(endpoint.keys).containsExactly("Bearer sk-door");
        assertThat(endpoint.purposes).containsExactly(prompt("hi").purpose().orElseThrow());
    }

    @Test
    void a_budget_that_is_used_up_is_told_by_its_kind_and_not_asked_again() {
        assertThatThrownBy(() -> executor(Waits.PATIENCE).answer(prompt("status 402"), reply))
                .hasMessage("the model failed (budget_exceeded), see the workspace log");
        assertThat(endpoint.requests).hasSize(1);
    }

    @Test
    void one_that_is_stopped_for_money_goes_on_behind_its_words_and_pays_for_none_again() throws Exception {
        var kept = new KeptSteps();
        var atDoor = executor(
                "openai:gpt-test",
                Map.of(
                        "MOLECULE_MODEL_DOOR", endpoint.url().replace("/v1", ""),
                        "MOLECULE_MODEL_KEY", "sk-door",
                        "MOLECULE_MODEL_PROVIDERS", "openai:+"),
                Waits.PATIENCE);

        assertThatThrownBy(() -> atDoor.answer(prompt("no money"), kept))
                .isInstanceOfSatisfying(
                        Parked.class, waits -> assertThat(comes(waits)).isFalse());
        atDoor.answer(prompt("no money"), kept);

        assertThat(endpoint.requests).hasSize(2);
        JsonNode again = endpoint.requests.getLast().path("messages");
        assertThat(again.path(again.size() - 2).path("content").asText()).isEqualTo("Once upon");
        assertThat(kept.words)
                .isEqualTo("Once upon You said: "
                        + again.path(again.size() - 1).path("content").asText());
    }

    @Test
    void one_that_is_refused_for_money_rests_until_there_may_be_some() {
        var kept = new KeptSteps();

        assertThatThrownBy(() -> executor(Waits.PATIENCE).answer(prompt("status 402"), kept))
                .isInstanceOf(Parked.class);

        assertThat(kept.words).isEmpty();
    }

    private static boolean comes(Parked waits) {
        try {
            return waits.until().hasCome();
        } catch (Exception failure) {
            throw new AssertionError(failure);
        }
    }

    /** A task whose steps are kept. */
    private static final class KeptSteps implements Reply, StepJournal {
        private final List<JsonNode> steps = new ArrayList<>();
        private String words = "";

        @Override
        public void chunk(String text) {
            words += text;
        }

        @Override
        public void text(String text) {
            words += text;
        }

        @Override
        public void ask(String question) {}

        @Override
        public StepJournal steps() {
            return this;
        }

        @Override
        public List<JsonNode> done() {
            return List.copyOf(steps);
        }

        @Override
        public boolean keep(ObjectNode step, String said) {
            return steps.add(step);
        }
    }

    private ModelExecutor executor(Duration silenceMax) {
        return executor(
                "openai:gpt-test",
                Map.of("OPENAI_BASE_URL", endpoint.url(), "OPENAI_API_KEY", "sk-secret"),
                silenceMax);
    }

    private ModelExecutor executor(String model, Map<String, String> environment, Duration silenceMax) {
        var setup = new AgentSetup("langgraph", model, "", List.of(), 0, () -> "You plan.", environment);
        var nowhere = new WorkspaceClient(ClientConfig.of("w", "http://127.0.0.1:1", TokenFile.in(Path.of("nowhere"))));
        return new ModelExecutor(
                setup,
                List.of(),
                ToolSource.NONE,
                new Toolbox(new Workspaces(List.of(nowhere)), Optional.empty()),
                silenceMax,
                Clock.systemUTC(),
                pauses::add);
    }

    private static Prompt prompt(String text) {
        return prompt(text, MissingNode.getInstance());
    }

    private static Prompt prompt(String text, JsonNode metadata) {
        return new Prompt("task-1", "context-1", text, MissingNode.getInstance(), metadata);
    }
}
