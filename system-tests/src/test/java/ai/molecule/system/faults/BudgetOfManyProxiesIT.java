package ai.molecule.system.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.system.Platform;
import ai.molecule.testkit.Waits;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Twenty agents ask models through three proxies under one budget of $0.50, and one of the three is killed in between. */
@Tag("full")
class BudgetOfManyProxiesIT {

    private static final long CENT = 10_000;
    private static final int AGENTS = 20;

    /** Of three bytes each. A model says a hundred in a second, this one four hundred. */
    private static final int TOKENS_A_PIECE = 20;

    private static final long PIECE_NANOS = Duration.ofMillis(50).toNanos();
    private static final String PIECE =
            "data: {\"choices\":[{\"delta\":{\"content\":\"" + "abc".repeat(TOKENS_A_PIECE) + "\"}}]}\n\n";
    private static final String ASKED = "{\"model\":\"own:m\",\"stream\":true}";
    private static final String TABLE = """
            {"providers":[{"name":"own","endpoints":{"openai":"http://127.0.0.1:%d/v1"},"secret":null,
                "prices":[{"model":"m","in":2,"out":10,"dated":"2026-11-01"}]}]}""";

    private final AtomicLong tokensTaken = new AtomicLong();
    private final AtomicLong callsMade = new AtomicLong();

    @Test
    void what_they_spend_ends_within_a_tenth_of_it_and_nothing_stays_promised(@TempDir Path folder)
            throws IOException, SQLException {
        Path data = folder.resolve("data");
        var provider = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        provider.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        provider.createContext("/", BudgetOfManyProxiesIT::speakOn);
        provider.start();
        Path prices = Files.writeString(
                folder.resolve("providers.json"),
                TABLE.formatted(provider.getAddress().getPort()));
        var variables = Map.of("MOLECULE_PROVIDERS", prices.toString(), "RATE_LIMIT", "10000000");
        try (var platform = Platform.up(variables, data, "--no-demo", "--split")) {
            var proxy = platform.processWith("ProxyMain").orElseThrow();
            try (var second = another(2, proxy, data);
                    var killed = another(3, proxy, data)) {
                // Given
                var table = LogTable.of(platform);
                await().until(() -> second.isReady() && killed.isReady());
                var first = new Client(platform.url);
                var team = Agent.join(first, "Team");
                List<Agent> agents = new ArrayList<>();
                for (int i = 0; i < AGENTS; i++) {
                    agents.add(team.hire(first, "Agent " + i));
                }
                platform.patch("/workspaces/" + team.id() + "/budget", "{\"team_limit\":50,\"team_period\":\"all\"}");

                // When
                try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
                    var doors = List.of(killed.client, first, second.client);
                    IntStream.range(0, AGENTS)
                            .forEach(i -> threads.submit(
                                    () -> askUntilRefused(agents.get(i), doors.get(i % 3), doors.get(1 + i % 2))));
                    await().until(() -> spent() > 20 * CENT);
                    killed.close();
                }
                await().until(() -> promised(table) == 0);
                try (var threads = Executors.newVirtualThreadPerTaskExecutor()) { // what came back may be spent as well
                    agents.forEach(agent -> threads.submit(() -> askUntilRefused(agent, first, second.client)));
                }

                // Then
                assertThat(spent()).isBetween(45 * CENT, 55 * CENT);
                await().until(() -> promised(table) == 0);
            }
        } finally {
            provider.stop(0);
        }
    }

    private static Replica another(int number, ProcessHandle first, Path data) throws IOException {
        return Replica.beside("proxy", number, first, data, Map.of());
    }

    /** What reached the agents, at the price of the table: an estimate of the input at each call beside it. */
    private long spent() {
        return tokensTaken.get() * 10 + callsMade.get() * 2 * (ASKED.length() / 4 + 1);
    }

    /** At the second door once the first one is gone. */
    private void askUntilRefused(Agent agent, Client door, Client other) {
        try (var http = HttpClient.newHttpClient()) {
            for (var at = door; ; ) {
                try {
                    var request = HttpRequest.newBuilder(URI.create(at.url + "/models/openai/v1/chat/completions"))
                            .header("Authorization", "Bearer " + agent.token())
                            .timeout(Waits.PATIENCE)
                            .POST(BodyPublishers.ofString(ASKED))
                            .build();
                    var answer = http.send(request, BodyHandlers.ofInputStream());
                    if (answer.statusCode() == 402) {
                        return;
                    }
                    callsMade.incrementAndGet();
                    take(answer.body());
                } catch (IOException gone) {
                    at = other;
                }
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void take(InputStream events) throws IOException {
        byte[] block = new byte[8192];
        long bytes = 0;
        long counted = 0;
        for (int read = events.read(block); read >= 0; read = events.read(block)) {
            bytes += read;
            long pieces = bytes / PIECE.length();
            tokensTaken.addAndGet((pieces - counted) * TOKENS_A_PIECE);
            counted = pieces;
        }
    }

    /** Until the other side has enough. */
    private static void speakOn(HttpExchange asked) throws IOException {
        try (asked) {
            asked.getRequestBody().readAllBytes();
            asked.getResponseHeaders().add("Content-Type", "text/event-stream");
            asked.sendResponseHeaders(200, 0);
            var out = asked.getResponseBody();
            while (true) {
                out.write(PIECE.getBytes(StandardCharsets.US_ASCII));
                out.flush();
                LockSupport.parkNanos(PIECE_NANOS);
            }
        }
    }

    private static long promised(LogTable table) throws SQLException {
        try (var connection = table.connect();
                var rows = connection.createStatement().executeQuery("SELECT count(*) FROM proxy.model_reservations")) {
            rows.next();
            return rows.getLong(1);
        }
    }
}
