package ai.molecule.cli.steer;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.Screen;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.ServerWebSocket;
import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import picocli.CommandLine;

/** A platform that answers what a test tells it to, keeps what it was asked, and a terminal to steer it from. */
abstract class AtATerminal {

    final Vertx vertx = Vertx.vertx();
    final Screen screen = new Screen();
    final List<String> asked = new CopyOnWriteArrayList<>();
    final List<ServerWebSocket> sockets = new CopyOnWriteArrayList<>();
    final Map<String, String> answers = new ConcurrentHashMap<>();
    volatile int status = 200;

    /** What the newest activity of the first agent is, by the id of the message that was sent last. */
    volatile UnaryOperator<String> activity = sent -> "[]";

    byte[] typed = {};

    @SuppressWarnings("NullAway.Init")
    HttpServer platform;

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

    void answer(HttpServerRequest request) {
        request.body().onSuccess(body -> {
            String line = request.method() + " " + request.uri();
            boolean read = line.startsWith("GET");
            if (!read) {
                asked.add((line + " " + body).strip());
            }
            String answer = line.equals("GET /workspaces/i-1/activity?limit=100")
                    ? activity.apply(sentLast())
                    : answers.getOrDefault(line, "{}");
            request.response()
                    .putHeader(
                            "Content-Type",
                            answer.startsWith("data:") ? "text/event-stream; charset=utf-8" : "application/json")
                    .setStatusCode(read ? 200 : status)
                    .end(answer);
        });
    }

    private String sentLast() {
        var ids = Pattern.compile("\"messageId\":\"([^\"]*)\"").matcher(String.join("\n", asked));
        String last = "";
        while (ids.find()) {
            last = ids.group(1);
        }
        return last;
    }

    @AfterEach
    void stopPlatform() {
        vertx.close().await();
    }

    int run(String... words) {
        var all = new ArrayList<>(Arrays.asList(words));
        all.addAll(List.of("--url", "http://127.0.0.1:" + platform.actualPort()));
        var command = new CommandLine(CommandLine.Model.CommandSpec.create());
        SteeringCommands.all(screen.console(), MoleculeHome.fromSystemProperties(), new ByteArrayInputStream(typed))
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
