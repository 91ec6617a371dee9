package ai.molecule.cli.steer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.Screen;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.ServerWebSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** An organisation steered from a terminal, against a platform that answers what it is told to. */
class SteeringTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Vertx vertx = Vertx.vertx();
    private final Screen screen = new Screen();
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final List<ServerWebSocket> sockets = new CopyOnWriteArrayList<>();
    private final Map<String, String> answers = new ConcurrentHashMap<>();
    private volatile int status = 200;

    @SuppressWarnings("NullAway.Init")
    private HttpServer platform;

    @BeforeEach
    void startPlatform() {
        answers.put(
                "GET /workspaces",
                "[{\"id\":\"i-1\",\"name\":\"Lead\"},{\"id\":\"i-2\",\"name\":\"Writer\"},{\"id\":\"i-3\",\"name\":\"Writer\"}]");
        answers.put("GET /approvals/pending", """
                [{"id":"a1b2-x","workspace_id":"i-2","workspace_name":"Writer","action":"send 34 letters","reason":"they are due",
                  "context":{"letters":34},"expires_at":"2026-12-01T00:00:00Z"},
                 {"id":"a1c3-x","workspace_id":"i-1","workspace_name":"Lead","action":"book a room","reason":"",
                  "context":null,"expires_at":"2026-12-02T00:00:00Z"}]""");
        answers.put("GET /approvals/pending?after=a1c3-x", "[]");
        platform = vertx.createHttpServer()
                .webSocketHandler(socket -> {
                    asked.add("WS " + socket.uri());
                    sockets.add(socket);
                })
                .requestHandler(this::answer)
                .listen(0, "127.0.0.1")
                .await();
    }

    private void answer(HttpServerRequest request) {
        request.body().onSuccess(body -> {
            String line = request.method() + " " + request.uri();
            boolean read = line.startsWith("GET");
            if (!read) {
                asked.add((line + " " + body).strip());
            }
            String answer = answers.getOrDefault(line, "{}");
            request.response()
                    .putHeader(
                            "Content-Type",
                            answer.startsWith("data:") ? "text/event-stream; charset=utf-8" : "application/json")
                    .setStatusCode(read ? 200 : status)
                    .end(answer);
        });
    }

    @AfterEach
    void stopPlatform() {
        vertx.close().await();
    }

    @Test
    void one_word_pauses_resumes_and_restarts_an_agent() {
        assertThat(run("pause", "Lead")).isZero();
        assertThat(run("resume", "lead")).isEqualTo(2);
        assertThat(run("restart", "i-2")).isZero();

        assertThat(asked).containsExactly("POST /workspaces/i-1/pause", "POST /workspaces/i-2/restart");
        assertThat(screen.err()).contains("Lead (i-1) is paused", "There is no agent lead; did you mean Lead?");
        assertThat(screen.out()).isEmpty();
    }

    @Test
    void an_agent_is_created_under_another_moved_and_removed() {
        answers.put("POST /workspaces", "{\"id\":\"i-9\",\"status\":\"provisioning\"}");

        assertThat(run("create", "Scout", "--under", "Lead", "--template", "coder", "--tier", "2"))
                .isZero();
        assertThat(run("move", "i-2", "--root")).isZero();
        assertThat(run("move", "i-2", "--under", "Lead")).isZero();
        assertThat(run("move", "i-2")).isEqualTo(2);
        assertThat(run("rm", "i-3", "--branch")).isZero();

        assertThat(asked)
                .containsExactly(
                        "POST /workspaces {\"name\":\"Scout\",\"template\":\"coder\",\"tier\":2,\"parent_id\":\"i-1\"}",
                        "PATCH /workspaces/i-2 {\"parent_id\":null}",
                        "PATCH /workspaces/i-2 {\"parent_id\":\"i-1\"}",
                        "DELETE /workspaces/i-3?confirm=true&purge=false");
        assertThat(screen.out()).isEqualTo("i-9\n");
    }

    @Test
    void models_are_given_a_name_shown_by_it_and_lose_it() {
        answers.put(
                "GET /workspaces/i-3/model-aliases",
                "{\"aliases\":[{\"name\":\"fast\",\"models\":[\"groq:m\",\"openai:n\"],\"of\":\"i-1\"},{\"name\":\"best\",\"models\":[\"openai:o\"],\"of\":null}]}");

        assertThat(run("alias", "Lead", "fast", "groq:m", "openai:n")).isZero();
        assertThat(run("alias", "Lead", "fast", "--remove")).isZero();
        assertThat(run("alias", "Lead", "fast")).isEqualTo(2);
        assertThat(run("alias", "i-3")).isZero();

        assertThat(asked)
                .containsExactly(
                        "PUT /workspaces/i-1/model-aliases/fast {\"models\":[\"groq:m\",\"openai:n\"]}",
                        "DELETE /workspaces/i-1/model-aliases/fast");
        assertThat(screen.out().lines().map(line -> line.replaceAll(" +", " ")))
                .containsExactly("ALIAS MODELS OF", "fast groq:m, openai:n Lead", "best openai:o the operator");
    }

    @Test
    void whoever_leads_others_is_removed_only_when_it_is_said_that_these_go_too() {
        status = 409;
        answers.put(
                "DELETE /workspaces/i-1?confirm=false&purge=false",
                "{\"status\":\"confirmation_required\",\"children\":[{\"id\":\"i-2\",\"name\":\"Writer\"}],\"children_count\":1}");

        assertThat(run("rm", "Lead")).isEqualTo(2);

        assertThat(screen.err()).contains("Lead leads 1 others (Writer), who would go too; say --branch");
    }

    @Test
    void what_waits_is_listed_and_decided_by_the_first_letters_of_its_id() {
        assertThat(run("inbox")).isZero();
        assertThat(run("approve", "a1b")).isZero();
        assertThat(run("deny", "a1c3-x")).isZero();
        assertThat(run("approve", "a1")).isEqualTo(2);
        assertThat(run("approve", "zz")).isEqualTo(2);

        assertThat(screen.out())
                .contains(
                        "a1b2  Writer asks: send 34 letters",
                        "because: they are due",
                        "with: {\"letters\":34}",
                        "until 2026-12-01");
        assertThat(asked)
                .containsExactly(
                        "POST /workspaces/i-2/approvals/a1b2-x/decide {\"decision\":\"approved\"}",
                        "POST /workspaces/i-1/approvals/a1c3-x/decide {\"decision\":\"denied\"}");
        assertThat(screen.err())
                .contains("Several ids begin with a1", "Nothing that waits has an id that begins with zz");
    }

    @Test
    void an_answer_is_printed_as_it_comes() {
        answers.put("POST /workspaces/i-1/a2a", """
                data: {"result":{"kind":"task","id":"t-1","contextId":"c-1","status":{"state":"submitted"}}}

                data: {"result":{"kind":"status-update","taskId":"t-1","status":{"state":"working","message":{"parts":[{"text":"thinking"}]}}}}

                data: {"result":{"kind":"artifact-update","taskId":"t-1","artifact":{"parts":[{"kind":"text","text":"first line\\nsecond "}]}}}

                data: {"result":{"kind":"artifact-update","taskId":"t-1","append":true,"artifact":{"parts":[{"kind":"text","text":"half"}]}}}

                data: {"result":{"kind":"status-update","taskId":"t-1","final":true,"status":{"state":"completed"}}}

                """);

        assertThat(run("say", "Lead", "hello", "there", "--context", "c-1")).isZero();

        assertThat(screen.out()).isEqualTo("first line\nsecond half\n");
        assertThat(screen.err()).isEqualTo("Go on with --context c-1\n");
        assertThat(asked.getFirst()).contains("\"method\":\"message/stream\"", "hello there", "\"contextId\":\"c-1\"");
    }

    @Test
    void who_waits_for_a_person_is_told_once_while_nothing_is_said() {
        answers.put("POST /workspaces/i-1/a2a", """
                data: {"result":{"kind":"status-update","taskId":"t-1","status":{"state":"working"}}}

                :

                :

                data: {"result":{"kind":"status-update","taskId":"t-1","final":true,"status":{"state":"completed"}}}

                """);

        assertThat(run("say", "Lead", "go")).isZero();

        assertThat(screen.err())
                .isEqualTo("Writer waits for a decision: send 34 letters; ./molecule approve a1b2, or deny, decides.\n"
                        + "Lead waits for a decision: book a room; ./molecule approve a1c3, or deny, decides.\n");
    }

    @Test
    void a_failure_a_question_and_a_queue_are_told() {
        answers.put("POST /workspaces/i-1/a2a", """
                data: {"result":{"kind":"status-update","taskId":"t","contextId":"c","status":{"state":"input-required","message":{"parts":[{"text":"which day?"}]}}}}

                """);
        assertThat(run("say", "Lead", "go")).isZero();
        answers.put("POST /workspaces/i-1/a2a", """
                data: {"result":{"kind":"status-update","taskId":"t","status":{"state":"failed","message":{"parts":[{"text":"no key"}]}}}}

                """);
        assertThat(run("say", "Lead", "go")).isEqualTo(1);
        answers.put("POST /workspaces/i-1/a2a", "{\"queued\":true,\"queue_id\":\"q\"}");
        assertThat(run("say", "Lead", "go")).isZero();
        status = 503;
        answers.put("POST /workspaces/i-1/a2a", "{\"error\":\"agent unreachable\"}");
        assertThat(run("say", "Lead", "go")).isEqualTo(1);

        assertThat(screen.out()).isEqualTo("which day?\n");
        assertThat(screen.err())
                .contains(
                        "Lead waits for your answer: ./molecule say 'Lead' --context c",
                        "Lead failed: no key",
                        "Lead is busy",
                        "Lead did not answer: agent unreachable (503).");
    }

    @Test
    void events_are_followed_over_a_cut_without_hole_or_repeat() throws InterruptedException {
        answers.put(
                "GET /events?limit=1",
                "[{\"seq\":7,\"event_type\":\"WORKSPACE_ONLINE\",\"workspace_id\":\"i-1\",\"created_at\":\"2026-01-02T03:04:05Z\",\"payload\":{}}]");
        var following = new Thread(() -> run("events", "-f", "--lines", "1"));
        following.start();
        await().atMost(PATIENCE).until(() -> sockets.size() == 1);
        sockets.getFirst()
                .writeTextMessage(
                        "{\"event\":\"WORKSPACE_OFFLINE\",\"workspace_id\":\"i-1\",\"timestamp\":\"2026-01-02T03:04:06Z\",\"payload\":{\"error\":\"gone\\u001b[2J\"},\"seq\":8}")
                .await();
        await().atMost(PATIENCE).until(() -> screen.out().contains("WORKSPACE_OFFLINE"));
        sockets.getFirst().close().await();
        await().atMost(PATIENCE).until(() -> sockets.size() == 2);
        following.interrupt();
        sockets.getLast().close().await();
        following.join(PATIENCE.toMillis());

        assertThat(asked).contains("WS /ws?since=7", "WS /ws?since=8");
        assertThat(screen.out())
                .contains("03:04:05  WORKSPACE_ONLINE", "03:04:06  WORKSPACE_OFFLINE", "Lead", "gone\ufffd[2J");
        assertThat(following.isAlive()).isFalse();
    }

    @Test
    void usage_names_agents_and_never_calls_unknown_costs_nothing() {
        answers.put("GET /usage?by=agent", """
                {"by":"agent","rows":[
                  {"key":"i-1","calls":3,"tokens_in":10,"tokens_out":5,"cost_micros":1234567,"unpriced_calls":1},
                  {"key":"i-2","calls":1,"tokens_in":10,"tokens_out":5,"cost_micros":null,"unpriced_calls":1}]}""");

        assertThat(run("usage")).isZero();
        assertThat(run("usage", "--json")).isZero();

        assertThat(screen.out()).contains("Lead", "$1.23 + ?", "unknown", "\"unpriced_calls\":1");
    }

    @Test
    void a_model_is_shown_and_changed() {
        answers.put("GET /workspaces/i-1/model", "{\"model\":\"openai:x\",\"source\":\"own\"}");

        assertThat(run("model", "Lead")).isZero();
        assertThat(run("model", "Lead", "openai:y")).isZero();

        assertThat(screen.out()).isEqualTo("openai:x\n");
        assertThat(asked).containsExactly("PUT /workspaces/i-1/model {\"model\":\"openai:y\"}");
    }

    private int run(String... words) {
        var all = new ArrayList<>(Arrays.asList(words));
        all.addAll(List.of("--url", "http://127.0.0.1:" + platform.actualPort()));
        var command = new CommandLine(CommandLine.Model.CommandSpec.create());
        SteeringCommands.all(screen.console(), MoleculeHome.fromSystemProperties())
                .forEach(each -> command.addSubcommand(each.getCommandName(), each));
        return command.setExecutionExceptionHandler((failure, failed, parsed) -> {
                    if (failure instanceof LaunchFailure known) {
                        screen.console().say(known.sentence());
                        return known.exitCode();
                    }
                    throw failure;
                })
                .execute(all.toArray(String[]::new));
    }
}
