package ai.molecule.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.sdk.LoopOptions;
import ai.molecule.sdk.PollDelivery;
import ai.molecule.sdk.RemoteAgentClient;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The platform refuses everybody with 429 until its window is over; agents wait and go on, nobody has to start them again. */
@Tag("full")
class RefusedForAWhileIT {

    private static final String ADMIN = "the-admin-token-of-this-test";
    private static final int LIMIT = 40;

    private static final int WINDOW_SECONDS = 15;

    /** Of a window: twice the pause between the questions of an agent, or the storm would pass unheard. */
    private static final int STORM_SECONDS_MIN = 10;

    /** Windows, because the sender is refused too, and the longest pause after them. */
    private static final Duration WINDOW_AND_MORE = Duration.ofSeconds(150);

    private final HttpClient http = HttpClient.newHttpClient();
    private String url = "";
    private Thread loopThread;

    @Test
    void a_storm_of_refusals_passes_over_agents_and_the_connect_command(@TempDir Path temp) throws Exception {
        var environment = Map.of(
                "ADMIN_TOKEN",
                ADMIN,
                "RATE_LIMIT",
                String.valueOf(LIMIT),
                "RATE_LIMIT_WINDOW_SECONDS",
                String.valueOf(WINDOW_SECONDS));
        try (var platform =
                Platform.up(environment, temp.resolve("data"), "--no-demo", "--env", "production", "--trust-agents")) {
            url = platform.url;
            var patient = create("Patient");
            var agent = RemoteAgentClient.builder(patient.id, url)
                    .tokenFolder(temp.resolve("patient"))
                    .heartbeatInterval(Duration.ofSeconds(10))
                    .stateInterval(Duration.ofSeconds(5))
                    .build();
            agent.saveToken(patient.token);
            agent.register();
            var loop = running(agent);
            var shouter = create("Shouter");
            Path out = temp.resolve("connect.out");
            Process command = connect(temp, shouter, out);
            try {
                await().until(() -> !command.isAlive() || Files.readString(out).contains("connected as"));

                exhaustTheWindow(ADMIN, patient.token, shouter.token);
                var peers = CompletableFuture.supplyAsync(agent::getPeers);

                say(patient, "anybody there?");
                say(shouter, "anybody there?");
                awaitAnswer(patient, "you said anybody there?");
                awaitAnswer(shouter, "ANYBODY THERE?");
                assertThat(peers.get(WINDOW_AND_MORE.toSeconds(), TimeUnit.SECONDS))
                        .extracting(peer -> peer.name())
                        .containsExactly("Shouter");
                assertThat(command.isAlive()).isTrue();
                assertThat(loop).isNotDone();
            } finally {
                loopThread.interrupt();
                command.destroy();
                assertThat(command.waitFor(30, TimeUnit.SECONDS)).isTrue();
            }
            assertThat(command.exitValue()).isZero();
        }
    }

    private record External(String id, String token) {}

    private External create(String name) throws IOException, InterruptedException {
        var answer = admin("POST", "/workspaces", "{\"name\":\"%s\",\"external\":true}".formatted(name));
        assertThat(answer.statusCode()).isEqualTo(201);
        var created = Platform.JSON.readTree(answer.body());
        return new External(
                created.path("id").asText(),
                created.at("/connection/auth_token").asText());
    }

    private CompletableFuture<String> running(RemoteAgentClient agent) {
        var ended = new CompletableFuture<String>();
        var thread = new Thread(() -> {
            try {
                ended.complete(agent.runAgentLoop(
                        (message, self) -> "you said " + message.text(),
                        new PollDelivery(agent),
                        LoopOptions.defaults()));
            } catch (InterruptedException | RuntimeException e) {
                ended.completeExceptionally(e);
            }
        });
        thread.start();
        loopThread = thread;
        return ended;
    }

    private Process connect(Path temp, External who, Path out) {
        var environment = Map.of(
                "MOLECULE_PLATFORM_URL",
                url,
                "MOLECULE_WORKSPACE_ID",
                who.id,
                "MOLECULE_WORKSPACE_TOKEN",
                who.token,
                "JAVA_TOOL_OPTIONS",
                "-Duser.home=" + temp.resolve("home"));
        return Launcher.start(environment, out, temp.resolve("connect.err"), "connect", "--handler", "cmd: tr a-z A-Z");
    }

    /** Of each credential, which has a share of its own: until several requests in a row were refused, with most of the window to come. */
    private void exhaustTheWindow(String... credentials) throws IOException, InterruptedException {
        await().atMost(WINDOW_AND_MORE)
                .pollInterval(Duration.ofMillis(500))
                .until(() -> ask(ADMIN, "GET", "/workspaces", "")
                                .headers()
                                .firstValueAsLong("X-RateLimit-Reset")
                                .orElse(0)
                        > STORM_SECONDS_MIN);
        for (String credential : credentials) {
            int refused = 0;
            for (int request = 0; refused < 10; request++) {
                assertThat(request).isLessThan(10 * LIMIT);
                var answer = ask(credential, "GET", "/plugins/sources", "");
                refused = answer.statusCode() == 429 ? refused + 1 : 0;
                if (refused > 0) {
                    assertThat(answer.headers().firstValue("Retry-After")).isPresent();
                }
            }
        }
    }

    /** As often as it takes: the sender is refused like everybody. */
    private void say(External to, String text) {
        String message = "{\"method\":\"message/send\",\"params\":{\"message\":{\"role\":\"user\",\"parts\":"
                + "[{\"kind\":\"text\",\"text\":\"" + text + "\"}]}}}";
        await().atMost(WINDOW_AND_MORE)
                .pollInterval(Duration.ofSeconds(2))
                .until(() ->
                        admin("POST", "/workspaces/" + to.id + "/a2a", message).statusCode() == 200);
    }

    private void awaitAnswer(External from, String text) {
        await().atMost(WINDOW_AND_MORE)
                .pollInterval(Duration.ofSeconds(3))
                .until(() -> admin("GET", "/workspaces/" + from.id + "/activity?source=canvas", "")
                        .body()
                        .contains(text));
    }

    private HttpResponse<String> admin(String method, String path, String body)
            throws IOException, InterruptedException {
        return ask(ADMIN, method, path, body);
    }

    private HttpResponse<String> ask(String bearer, String method, String path, String body)
            throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create(url + path))
                .timeout(Duration.ofSeconds(30))
                .header("Authorization", "Bearer " + bearer)
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        return http.send(request.build(), BodyHandlers.ofString());
    }
}
