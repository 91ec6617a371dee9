package ai.molecule.cli.replay;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.Screen;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** A recorded day is asked of another model, by a platform that answers as the model door does. */
class ReplayingOnAnotherModelTest {

    private static final String CASSETTE = """
            == request old chat-operation 1
            {
              "messages" : [ {
                "content" : "How many files are there?",
                "role" : "user"
              } ],
              "model" : "m"
            }
            == answer 200 application/json
            -- after 3 ms
            [ "{\\"choices\\":[{\\"message\\":{\\"content\\":\\"There are three files, and I have looked at each of them.\\"}}],\\"usage\\":{\\"prompt_tokens\\":1000,\\"completion_tokens\\":100}}" ]
            """.replace("chat-operation", "/chat/completions");

    private final Vertx vertx = Vertx.vertx();
    private final Screen screen = new Screen();
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private volatile int status = 200;

    @TempDir
    private Path folder;

    @SuppressWarnings("NullAway.Init")
    private HttpServer platform;

    @BeforeEach
    void start() throws IOException {
        Files.writeString(folder.resolve("one.txt"), CASSETTE);
        platform = vertx.createHttpServer()
                .requestHandler(this::answer)
                .listen(0, "127.0.0.1")
                .await();
    }

    @AfterEach
    void stop() {
        vertx.close().await();
    }

    private void answer(HttpServerRequest request) {
        request.body().onSuccess(body -> {
            String line = request.method() + " " + request.path();
            asked.add((line + " " + request.getHeader("Authorization") + " " + body).strip());
            request.response().putHeader("Content-Type", "application/json").putHeader("X-Molecule-Model", "new:n");
            switch (line) {
                case "GET /workspaces" ->
                    request.response()
                            .end(
                                    "[{\"id\":\"i-1\",\"name\":\"Lead\",\"parent_id\":null},{\"id\":\"i-2\",\"name\":\"Two\",\"parent_id\":\"i-1\"}]");
                case "POST /workspaces/i-1/tokens" ->
                    request.response().setStatusCode(201).end("{\"auth_token\":\"abcdefgh-the-rest\"}");
                case "GET /workspaces/i-1/tokens" ->
                    request.response()
                            .end(
                                    "{\"tokens\":[{\"id\":\"t-0\",\"prefix\":\"zzzzzzzz\"},{\"id\":\"t-1\",\"prefix\":\"abcdefgh\"}]}");
                case "GET /models" -> request.response().end("""
                        {"providers":[{"name":"old","models":[{"model":"old:m","in":2,"out":10,"cached":null,"cache_write":null,"dated":"2026-11-01"}]},
                         {"name":"new","models":[{"model":"new:n","in":1,"out":1,"cached":null,"cache_write":null,"dated":"2026-11-01"}]}]}""");
                case "POST /models/openai/v1/chat/completions" ->
                    request.response()
                            .setStatusCode(status)
                            .end(
                                    status == 200
                                            ? "{\"choices\":[{\"message\":{\"content\":\"Three.\",\"tool_calls\":[{\"function\":{\"name\":\"list\",\"arguments\":\"{}\"}}]}}],\"usage\":{\"prompt_tokens\":1000,\"completion_tokens\":10}}"
                                            : "{\"error\":{\"message\":\"no such model\"}}");
                default -> request.response().end("{}");
            }
        });
    }

    @Test
    void both_answers_stand_side_by_side_with_what_they_cost() {
        assertThat(run("--model", "new:n", "--width", "80")).isZero();

        assertThat(screen.out().lines())
                .containsExactly(
                        "1  How many files are there?",
                        "───────────────────────────────────────┬───────────────────────────────────────",
                        "old:m, recorded                        │ new:n",
                        "1,000 in  100 out   $0.0030            │ 1,000 in  10 out   $0.0010",
                        "                                       │",
                        "There are three files, and I have      │ Three.",
                        "looked at each of them.                │ → list {}",
                        "",
                        "═══════════════════════════════════════╪═══════════════════════════════════════",
                        "1 call as recorded: $0.0030            │ on new:n: $0.0010  (34 % of it)");
        assertThat(asked)
                .contains(
                        "POST /models/openai/v1/chat/completions Bearer abcdefgh-the-rest {\"messages\":[{\"content\":\"How many files are there?\",\"role\":\"user\"}],\"model\":\"new:n\"}")
                .last()
                .asString()
                .startsWith("DELETE /workspaces/i-1/tokens/t-1");
    }

    @Test
    void programs_get_it_as_json() {
        assertThat(run("--model", "new:n", "--json")).isZero();

        var all = new JsonObject(screen.out());
        assertThat(all.getLong("recorded_cost_micros")).isEqualTo(3_000);
        assertThat(all.getLong("replayed_cost_micros")).isEqualTo(1_010);
        assertThat(all.getJsonArray("calls")
                        .getJsonObject(0)
                        .getJsonObject("replayed")
                        .encode())
                .isEqualTo(
                        "{\"model\":\"new:n\",\"status\":200,\"text\":\"Three.\",\"tools\":[\"list {}\"],\"tokens_in\":1000,\"tokens_out\":10,\"cost_micros\":1010}");
    }

    @Test
    void a_model_that_does_not_answer_is_shown_with_its_reason() {
        status = 404;

        assertThat(run("--model", "new:x")).isEqualTo(1);

        assertThat(screen.out()).contains("refused, 404", "no such model", "1 of them not answered");
    }

    @Test
    void what_is_missing_is_said_in_a_sentence() throws IOException {
        assertThat(run(folder.resolve("nothing"), "--model", "new:n")).isEqualTo(2);
        Files.delete(folder.resolve("one.txt"));
        assertThat(run("--model", "new:n")).isEqualTo(2);

        assertThat(screen.err()).contains("is no folder of recordings", "No call is recorded in");
    }

    private int run(String... args) {
        return run(folder, args);
    }

    private int run(Path recordings, String... args) {
        String[] all = Stream.concat(
                        Stream.of(recordings.toString(), "--url", "http://127.0.0.1:" + platform.actualPort()),
                        Arrays.stream(args))
                .toArray(String[]::new);
        var home = MoleculeHome.fromSystemProperties();
        return new CommandLine(new ReplayCommand(screen.console(), home))
                .setExecutionExceptionHandler((failure, command, parsed) -> {
                    screen.console().say(((LaunchFailure) failure).sentence());
                    return ((LaunchFailure) failure).exitCode();
                })
                .execute(all);
    }
}
