package ai.molecule.runtime.a2a;

import ai.molecule.runtime.agent.Transcript;
import ai.molecule.runtime.tasks.Surroundings;
import ai.molecule.runtime.tasks.Tasks;
import ai.molecule.runtime.tasks.WorkMeter;
import ai.molecule.sdk.TokenStore;
import ai.molecule.sdk.identity.PairTokenCheck;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A scripted agent on a real server and a free port, and a client's words to it. */
final class AgentUnderTest implements BeforeEachCallback, AfterEachCallback {

    static final String WORKSPACE = "ws-1";
    private static final long MEMORY = 16L * 1024 * 1024;
    private static final ObjectMapper JSON = new ObjectMapper();

    static final String TOKEN = "token-of-ws-1";
    private static final int LINES = 5;

    private final CallerProof proof;
    final SigningKey platform = new SigningKey();
    volatile Optional<String> token = Optional.of(TOKEN);
    final Path folder = temporary();
    ScriptedExecutor executor = new ScriptedExecutor();
    Tasks tasks = newTasks();
    int port;
    private final HttpClient client = HttpClient.newHttpClient();
    private Vertx vertx = Vertx.vertx();

    AgentUnderTest() {
        this(CallerProof.NONE);
    }

    AgentUnderTest(CallerProof proof) {
        this.proof = proof;
    }

    private Tasks newTasks() {
        return new Tasks(executor, new WorkMeter(), Clock.systemUTC(), MEMORY, Surroundings.in(folder, () -> ""));
    }

    private static Path temporary() {
        try {
            return Files.createTempDirectory("agent-under-test");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private final class FixedToken implements TokenStore {

        @Override
        public Optional<String> load() {
            return token;
        }

        @Override
        public void save(String fresh) {
            throw new UnsupportedOperationException();
        }
    }

    private static final class ScriptedTranscript implements TranscriptSource {

        @Override
        public String runtime() {
            return "scripted";
        }

        @Override
        public Transcript read(int since, int limit) {
            List<JsonNode> lines = IntStream.range(since, Math.min(LINES, since + limit))
                    .<JsonNode>mapToObj(line -> JSON.createObjectNode().put("line", line))
                    .toList();
            return new Transcript(true, lines, since + lines.size(), since + lines.size() < LINES, "memory");
        }
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        var server = new A2aServer(
                vertx,
                new Access(
                        WORKSPACE,
                        new FixedToken(),
                        new PairTokenCheck(WORKSPACE, platform::jwks, InstantSource.system(), System::nanoTime),
                        proof),
                tasks,
                at -> AgentCard.create("Scripted", "", "1.2.3", "http://127.0.0.1:" + at, List.of(executor.skill())),
                CardForm.BOTH,
                new ScriptedTranscript(),
                told -> {},
                MEMORY);
        port = server.listen("127.0.0.1", 0).await();
    }

    @Override
    public void afterEach(ExtensionContext context) throws IOException {
        executor.release.countDown();
        vertx.close().await();
        try (var files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        }
    }

    URI url(String path) {
        return URI.create("http://127.0.0.1:" + port + path);
    }

    HttpRequest.Builder post(String body) {
        return HttpRequest.newBuilder(url("/"))
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body));
    }

    HttpResponse<String> exchange(HttpRequest.Builder request) throws Exception {
        return client.send(request.build(), BodyHandlers.ofString());
    }

    CompletableFuture<HttpResponse<String>> begin(HttpRequest.Builder request) {
        return client.sendAsync(request.build(), BodyHandlers.ofString());
    }

    /** The JSON-RPC response to a request. */
    JsonNode call(String method, ObjectNode params) throws Exception {
        return json(exchange(post(request(method, params))).body());
    }

    /** Reads a stream's events as they come. */
    EventReader stream(String method, ObjectNode params) throws Exception {
        var response = client.send(post(request(method, params)).build(), BodyHandlers.ofInputStream());
        return new EventReader(response);
    }

    static String request(String method, ObjectNode params) {
        ObjectNode request =
                JSON.createObjectNode().put("jsonrpc", "2.0").put("id", 7).put("method", method);
        request.set("params", params);
        return request.toString();
    }

    /** As the platform's own clients write it. */
    static ObjectNode message(String id, String text) {
        ObjectNode params = JSON.createObjectNode();
        ObjectNode message = params.putObject("message").put("role", "user").put("messageId", id);
        message.putArray("parts").addObject().put("kind", "text").put("text", text);
        return params;
    }

    /** As clients of the published protocol write it. */
    static ObjectNode published(String id, String text) {
        ObjectNode params = message(id, text);
        ((ObjectNode) params.path("message")).put("kind", "message");
        return params;
    }

    static ObjectNode nonBlocking(String id, String text) {
        ObjectNode params = published(id, text);
        params.putObject("configuration").put("blocking", false);
        return params;
    }

    static ObjectNode params(String name, String value) {
        return JSON.createObjectNode().put(name, value);
    }

    static JsonNode json(String text) {
        try {
            return JSON.readTree(text);
        } catch (Exception e) {
            throw new AssertionError("not JSON: " + text, e);
        }
    }
}
