package ai.molecule.proxy.activity;

import static ai.molecule.proxy.ProxyUnderTest.HELLO;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.ApiError;
import ai.molecule.common.testing.EmbeddedStores;
import ai.molecule.common.testing.TestConfig;
import ai.molecule.proxy.ProxyConfig;
import ai.molecule.proxy.ProxyUnderTest;
import ai.molecule.proxy.StandInPlatform;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What a kill loses is known to the next proxy that looks. */
@ExtendWith(VertxExtension.class)
class CountingLossesTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @Test
    void a_killed_process_leaves_what_it_lost_and_a_living_one_is_left_alone() throws Exception {
        var proxy = UUID.randomUUID();
        var process = mortal(proxy, 7, 2);
        try {
            assertThat(Tally.ofTheDead(folder)).isEmpty();
        } finally {
            process.destroyForcibly().waitFor();
        }

        assertThat(Tally.ofTheDead(folder)).containsExactly(new Tally.Loss(proxy.toString(), 7, 2));
        assertThat(Tally.ofTheDead(folder)).isEmpty();
    }

    @Test
    void one_that_had_nothing_to_lose_is_not_told_of() throws Exception {
        mortal(UUID.randomUUID(), 0, 0).destroyForcibly().waitFor();

        assertThat(Tally.ofTheDead(folder)).isEmpty();
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void an_orderly_end_leaves_nothing_but_what_it_could_not_hand_over() throws IOException {
        var clean = Tally.in(folder, UUID.randomUUID());
        var behind = UUID.randomUUID();
        var late = Tally.in(folder, behind);
        late.rows(3);

        clean.close();
        late.close();

        assertThat(Tally.ofTheDead(folder)).containsExactly(new Tally.Loss(behind.toString(), 3, 0));
    }

    @Test
    void a_proxy_counts_what_only_it_knows_and_tells_of_its_predecessor(Vertx vertx) throws Exception {
        // Given
        mortal(UUID.randomUUID(), 5, 1, folder.resolve("proxies"))
                .destroyForcibly()
                .waitFor();
        var platform = new StandInPlatform(vertx);
        platform.activity = batch -> Future.failedFuture(ApiError.platformUnavailable());
        var config = ProxyConfig.fromEnv(
                TestConfig.env("DATABASE_URL", EmbeddedStores.freshDatabase(), "MOLECULE_DATA", folder.toString()));
        var proxy = ProxyUnderTest.start(vertx, platform, config, work -> work);
        var agent = proxy.agentSaying("{}");

        // When
        proxy.send(agent, HELLO);

        // Then
        await().atMost(PATIENCE).until(() -> metrics(proxy).contains("molecule_activity_lost_total 5.0"));
        assertThat(metrics(proxy)).contains("molecule_calls_lost_total 1.0");
        await().atMost(PATIENCE).until(() -> metrics(proxy).contains("molecule_activity_held_total 1.0"));
        assertThat(told()).isEqualTo("0 rows, 0 calls");
    }

    @Test
    void a_call_at_its_agent_counts_until_its_row_is_there(Vertx vertx) throws IOException {
        var platform = new StandInPlatform(vertx);
        var config = ProxyConfig.fromEnv(
                TestConfig.env("DATABASE_URL", EmbeddedStores.freshDatabase(), "MOLECULE_DATA", folder.toString()));
        var proxy = ProxyUnderTest.start(vertx, platform, config, work -> work);
        var asked = new CompletableFuture<HttpServerRequest>();
        var agent = platform.workspaceAt(ProxyUnderTest.urlOf(ProxyUnderTest.serve(vertx, asked::complete)));

        var answer = proxy.client.post("/workspaces/" + agent + "/a2a").sendBuffer(Buffer.buffer(HELLO));
        await().atMost(PATIENCE).until(asked::isDone);
        assertThat(told()).isEqualTo("0 rows, 1 calls");
        ProxyUnderTest.json(asked.join().response(), "{}");
        answer.await();

        await().atMost(PATIENCE).until(() -> told().equals("0 rows, 0 calls"));
    }

    private Process mortal(UUID proxy, int rows, int calls) throws IOException {
        return mortal(proxy, rows, calls, folder);
    }

    private static Process mortal(UUID proxy, int rows, int calls, Path folder) throws IOException {
        var java = Path.of(System.getProperty("java.home"), "bin", "java");
        var process = new ProcessBuilder(
                        java.toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Mortal.class.getName(),
                        folder.toString(),
                        proxy.toString(),
                        Integer.toString(rows),
                        Integer.toString(calls))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        assertThat(process.inputReader().readLine()).isEqualTo("told");
        return process;
    }

    /** What the file of the only living proxy says. */
    private String told() throws IOException {
        try (var files = Files.newDirectoryStream(folder.resolve("proxies"))) {
            var numbers = ByteBuffer.wrap(Files.readAllBytes(files.iterator().next()));
            return numbers.getLong() + " rows, " + numbers.getLong() + " calls";
        }
    }

    private static String metrics(ProxyUnderTest proxy) {
        return proxy.client.get("/metrics").send().await().bodyAsString();
    }
}
