package ai.molecule.cli.steer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.Screen;
import ai.molecule.cli.http.PlatformCommand;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.ServerWebSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Commands that wait for a platform which takes what it is asked, begins to answer, and says nothing more. */
class PlatformsThatStandStillTest {

    private static final Duration SHORT = Duration.ofMillis(300);

    @TempDir
    private Path home;

    private final Vertx vertx = Vertx.vertx();
    private final Screen screen = new Screen();
    private final List<ServerWebSocket> sockets = new CopyOnWriteArrayList<>();
    private volatile boolean begins = true;

    @SuppressWarnings("NullAway.Init")
    private HttpServer platform;

    @BeforeEach
    void start() {
        platform = vertx.createHttpServer()
                .webSocketHandler(sockets::add)
                .requestHandler(this::answer)
                .listen(0, "127.0.0.1")
                .await();
    }

    @AfterEach
    void stop() {
        vertx.close().await();
    }

    @Test
    void an_answer_that_stands_still_is_left_and_told() {
        assertThat(run(new SayCommand(screen.console(), launcher(), SHORT), "Lead", "hello"))
                .isEqualTo(1);

        assertThat(screen.out()).isEqualTo("I begin\n");
        assertThat(screen.err()).contains("so the platform stands still; Lead may work on, ./molecule events -f");
    }

    @Test
    void an_answer_that_does_not_begin_is_left_and_told() {
        begins = false;

        assertThat(run(new SayCommand(screen.console(), launcher(), SHORT), "Lead", "hello"))
                .isEqualTo(1);

        assertThat(screen.err()).contains("did not answer in time.");
    }

    @Test
    void events_are_listened_to_anew_when_not_even_a_ping_comes() {
        var listening = new Thread(
                () -> run(new EventsCommand(screen.console(), launcher(), SHORT), "--follow", "--lines", "0"));
        listening.start();

        await().until(() -> sockets.size() >= 2);
        listening.interrupt();

        assertThat(screen.err()).contains("listening anew");
    }

    private void answer(HttpServerRequest request) {
        if (request.method().name().equals("GET")) {
            boolean agents = request.uri().equals("/workspaces");
            request.response().end(agents ? "[{\"id\":\"i-1\",\"name\":\"Lead\"}]" : "[]");
        } else if (begins) {
            request.response()
                    .putHeader("Content-Type", "text/event-stream")
                    .setChunked(true)
                    .write(
                            "data: {\"result\":{\"kind\":\"artifact-update\",\"artifact\":{\"parts\":[{\"text\":\"I begin\\n\"}]}}}\n\n");
        }
    }

    private MoleculeHome launcher() {
        return new MoleculeHome(home, home.resolve("runtime.jar"));
    }

    private int run(PlatformCommand command, String... words) {
        var line = new CommandLine(command).setExecutionExceptionHandler((failure, failed, parsed) -> {
            if (failure instanceof LaunchFailure known) {
                screen.console().say(known.sentence());
                return known.exitCode();
            }
            throw failure;
        });
        String[] all = new String[words.length + 2];
        all[0] = "--url";
        all[1] = "http://127.0.0.1:" + platform.actualPort();
        System.arraycopy(words, 0, all, 2, words.length);
        return line.execute(all);
    }
}
