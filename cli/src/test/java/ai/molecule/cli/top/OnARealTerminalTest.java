package ai.molecule.cli.top;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ai.molecule.cli.EveryCommand;
import ai.molecule.cli.Screen;
import ai.molecule.testkit.Waits;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.ServerWebSocket;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The screen as a person has it: {@code tmux} holds a real terminal, types on it and reads what it shows. */
class OnARealTerminalTest {

    @TempDir
    Path folder;

    private final Vertx vertx = Vertx.vertx();
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final List<ServerWebSocket> sockets = new CopyOnWriteArrayList<>();
    private final Map<String, String> answers = new ConcurrentHashMap<>();

    @SuppressWarnings("NullAway.Init")
    private HttpServer platform;

    private boolean began;

    @BeforeEach
    void startPlatform() {
        answers.put("GET /workspaces", """
                [{"id":"a","name":"Lead","status":"online","active_tasks":0,"max_concurrent_tasks":2,"runtime":"langgraph"},
                 {"id":"b","name":"Writer \\u001b[31mred","parent_id":"a","status":"online","active_tasks":1,
                  "current_task":"write 34 letters","max_concurrent_tasks":1}]""");
        answers.put("GET /events?limit=200", """
                [{"seq":7,"event_type":"WORKSPACE_ONLINE","workspace_id":"a","payload":{},"created_at":"2026-11-27T11:00:00Z"}]""");
        answers.put("GET /inbox?limit=200", """
                {"rows":[{"id":"n","kind":"approval","part":"decide","workspace_id":"b","text":"send 34 letters",
                 "details":{"approval_id":"p1"}}],"waiting":{"decide":1,"fix":0}}""");
        platform = listening(0);
    }

    private HttpServer listening(int port) {
        return vertx.createHttpServer()
                .webSocketHandler(socket -> {
                    asked.add("WS " + socket.uri());
                    sockets.add(socket);
                })
                .requestHandler(this::answer)
                .listen(port, "127.0.0.1")
                .await();
    }

    private void answer(HttpServerRequest request) {
        request.body().onSuccess(body -> {
            String line = request.method() + " " + request.uri();
            if (!line.startsWith("GET")) {
                asked.add((line + " " + body).strip());
            }
            boolean list = line.endsWith("/delegations") || line.contains("/activity");
            request.response().end(answers.getOrDefault(line, list ? "[]" : "{}"));
        });
    }

    @AfterEach
    void end() throws Exception {
        if (began) {
            tmux("kill-server");
        }
        vertx.close().await();
    }

    @Test
    void a_person_looks_steers_resizes_loses_the_platform_and_leaves_the_terminal_as_it_was() throws Exception {
        begin(Map.of(), 80, 24);

        awaitScreen("2 agents  1 at work  1 for you  live");
        var lines = screen();
        assertThat(lines.get(3)).startsWith("Lead").contains("online", "0/2");
        assertThat(lines.get(4)).startsWith("└ Writer \u27E8U+001B").contains("write 34 letters");
        assertThat(tmux("capture-pane", "-p", "-e")).contains("\u001b[32m"); // colours

        tell(8, "WORKSPACE_DEGRADED", "a", new JsonObject().put("sample_error", "the model is away"));
        awaitScreen("degraded", "the model is away");
        keys("Down", "p");
        awaitAsked("POST /workspaces/b/pause");
        keys("a");
        awaitScreen("Approve what Writer");
        keys("y");
        awaitAsked("POST /workspaces/b/approvals/p1/decide {\"decision\":\"approved\",\"shown\":\"terminal\"}");
        keys("d");
        awaitScreen("Delete Writer");
        keys("y");
        awaitAsked("DELETE /workspaces/b?purge=false&confirm=false");
        keys("/", "L", "e", "a");
        awaitScreen("Agents with: Lea");
        keys("Escape");

        tmux("resize-window", "-x", "200", "-y", "50");
        awaitScreen("waits for you", "health", "Tab next part");
        assertThat(screen()).hasSize(50);
        tmux("resize-window", "-x", "80", "-y", "24");
        await().until(() -> !String.join("\n", screen()).contains("Tab next part"));

        int port = platform.actualPort();
        platform.close().await();
        awaitScreen("not live since");
        platform = listening(port);
        awaitScreen("live again", "1 for you  live");
        assertThat(asked).contains("WS /ws?since=7", "WS /ws?since=8");

        keys("C-c");
        awaitScreen("left 0", "terminal: isig icanon echo");
    }

    @Test
    void without_colours_none_is_shown_and_who_is_ended_gives_the_terminal_back() throws Exception {
        begin(Map.of("NO_COLOR", "1"), 80, 24);
        awaitScreen("live");
        assertThat(tmux("capture-pane", "-p", "-e")).doesNotContainPattern("\u001b\\[[0-9;]*(3[0-7]|4[0-7])m");

        long shell = Long.parseLong(tmux("display-message", "-p", "#{pane_pid}").strip());
        ProcessHandle.of(shell).orElseThrow().children().forEach(ProcessHandle::destroy);

        awaitScreen("left 143", "terminal: isig icanon echo");
    }

    @Test
    void a_terminal_that_cannot_move_its_cursor_is_a_sentence() throws Exception {
        begin(Map.of("TERM", "dumb"), 200, 24);

        awaitScreen("needs a terminal that can move its cursor, and TERM is dumb", "left 2");
    }

    @Test
    void in_a_pipe_it_is_a_sentence() {
        var screen = new Screen();

        assertThat(EveryCommand.of(screen.console(), folder).execute("top", "--url", url()))
                .isEqualTo(2);

        assertThat(screen.err()).contains("needs a terminal to show itself on");
        assertThat(screen.out()).isEmpty();
    }

    private String url() {
        return "http://127.0.0.1:" + platform.actualPort();
    }

    /** The command in a shell that tells how it ended, and how the terminal is then. */
    private void begin(Map<String, String> environment, int columns, int rows) throws Exception {
        assumeTrue(hasTmux(), "there is no tmux, which holds the terminal");
        var java = new ArrayList<String>();
        environment.forEach((name, value) -> java.add("export " + name + "=" + quoted(value) + ";"));
        java.add(quoted(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(option -> !option.startsWith("-javaagent") && !option.startsWith("-D"))
                .forEach(option -> java.add(quoted(option)));
        java.add("-Djava.util.logging.config.file=/dev/null -cp");
        java.add(quoted(System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))));
        java.add("ai.molecule.cli.MoleculeCommand top --url " + url() + " --config " + folder.resolve("none"));
        var script = folder.resolve("look");
        Files.writeString(script, """
                unset NO_COLOR JAVA_TOOL_OPTIONS
                export LANG=C.UTF-8 LC_ALL=C.UTF-8
                %s
                echo "left $?"
                echo "terminal:" $(stty -a | tr -s ' ;' '\\n' | grep -xE -- '-?(icanon|echo|isig)')
                exec sleep 600
                """.formatted(String.join(" ", java)));
        tmux(
                "-u",
                "-f",
                "/dev/null",
                "new-session",
                "-d",
                "-x",
                String.valueOf(columns),
                "-y",
                String.valueOf(rows),
                "exec sh " + quoted(script.toString())); // else some shells stay between tmux and this one
        began = true;
    }

    private static boolean hasTmux() {
        return List.of(System.getenv().getOrDefault("PATH", "").split(":")).stream()
                .anyMatch(each -> Files.isExecutable(Path.of(each, "tmux")));
    }

    private static String quoted(String word) {
        return "'" + word.replace("'", "'\\''") + "'";
    }

    private void keys(String... keys) throws Exception {
        var words = new ArrayList<>(List.of("send-keys"));
        words.addAll(List.of(keys));
        tmux(words.toArray(String[]::new));
    }

    private void tell(long seq, String event, String agent, JsonObject payload) {
        sockets.getLast()
                .writeTextMessage(new JsonObject()
                        .put("event", event)
                        .put("workspace_id", agent)
                        .put("timestamp", "2026-11-27T11:00:01Z")
                        .put("payload", payload)
                        .put("seq", seq)
                        .encode());
    }

    private void awaitScreen(String... words) {
        await().pollInterval(Duration.ofMillis(200))
                .untilAsserted(() -> assertThat(String.join("\n", screen())).contains(words));
    }

    private void awaitAsked(String line) {
        await().untilAsserted(() -> assertThat(asked).contains(line));
    }

    private List<String> screen() throws Exception {
        return tmux("capture-pane", "-p").lines().toList();
    }

    private String tmux(String... words) throws IOException, InterruptedException {
        var command =
                new ArrayList<>(List.of("tmux", "-S", folder.resolve("tmux").toString()));
        command.addAll(List.of(words));
        var answer = Files.createTempFile(folder, "answer", "");
        var builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(answer.toFile());
        builder.environment().remove("TMUX");
        builder.environment().put("LC_ALL", "C.UTF-8");
        var process = builder.start();
        assertThat(process.waitFor(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
        String said = Files.readString(answer, StandardCharsets.UTF_8);
        Files.delete(answer);
        assertThat(process.exitValue())
                .as(() -> String.join(" ", command) + ": " + said)
                .isZero();
        return said;
    }
}
