package ai.molecule.runtime.cli;

import ai.molecule.runtime.agent.GivenModels;
import ai.molecule.runtime.agent.Prompt;
import ai.molecule.sdk.TraceContext;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where the programs this agent starts find models: a port of this machine alone, with a path for each task, which is all they get. To what
 * they ask it adds the key of the platform's model door, which task it is for and its trace, and passes bytes on as they come. A call that a
 * budget does not pay rests here: the door is asked again until it is paid, and the program's time stands still.
 */
final class ModelPort implements AutoCloseable {

    /** What programs are given for a key; it opens nothing. */
    static final String NO_KEY = "sk-molecule-see-base-url";

    private static final Logger LOGGER = LoggerFactory.getLogger(ModelPort.class);

    /** As many as the platform lets a workspace have under way. */
    private static final int CALLS_MAX = 64;

    private static final int BUFFER_BYTES = 16 * 1024;
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

    /** The door gives a provider ten minutes to begin. */
    private static final Duration FIRST_BYTE = Duration.ofMinutes(11);

    /** Asking a door that refuses costs nothing. */
    private static final Duration REST_PAUSE = Duration.ofSeconds(15);

    /** Then the program is told. */
    private static final Duration REST_MAX = Duration.ofDays(7);

    /** What the door takes. */
    private static final int REQUEST_MAX_BYTES = 16 << 20;

    /** Of requests that rest, together; one for which there is no room does not. */
    private static final int RESTING_MAX_BYTES = 64 << 20;

    private static final int PAYMENT_REQUIRED = 402;

    /** Says that it was the platform's budget and not a provider's. */
    private static final String BUDGET_HEADER = "X-Molecule-Budget";

    /** By what a program knows it: which variable holds its key, which the address, and what stands behind that. */
    private record Names(String key, String url, String host, String path) {}

    private static final Set<Names> NAMES = Set.of(
            new Names("OPENAI_API_KEY", "OPENAI_BASE_URL", "127.0.0.1", "/openai/v1"),
            new Names("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "127.0.0.1", "/anthropic"),
            new Names(
                    "GEMINI_API_KEY",
                    "GOOGLE_GEMINI_BASE_URL",
                    "localhost",
                    "/google")); // takes plain http nowhere else

    /** Of this connection, or ours to say. */
    private static final Set<String> NOT_PASSED = Set.of(
            "host",
            "connection",
            "keep-alive",
            "upgrade",
            "http2-settings",
            "te",
            "trailer",
            "expect",
            "content-length",
            "transfer-encoding",
            "authorization",
            "x-api-key",
            "x-goog-api-key",
            "traceparent",
            "tracestate",
            "x-molecule-context");

    /** One task's way to the door, until it is closed. */
    final class Way implements AutoCloseable {
        private final String name = UUID.randomUUID().toString();
        private final Optional<String> purpose;
        private final HttpRequest trace;
        private int resting;
        private long restsSinceNanos;
        private Duration rested = Duration.ZERO;

        /** How long calls of it have rested until now: time that is not the program's. */
        synchronized Duration rested() {
            return resting == 0 ? rested : rested.plusNanos(System.nanoTime() - restsSinceNanos);
        }

        private synchronized void rests() {
            if (resting++ == 0) {
                restsSinceNanos = System.nanoTime();
            }
        }

        private synchronized void goesOn() {
            if (--resting == 0) {
                rested = rested.plusNanos(System.nanoTime() - restsSinceNanos);
            }
        }

        private Way(Prompt prompt) {
            this.purpose = prompt.purpose();
            this.trace = TraceContext.told(HttpRequest.newBuilder(URI.create(given.door())))
                    .build();
            ways.put(name, this);
        }

        /** What the program's environment becomes: the programs' own variables name this, and nothing opens the door itself. */
        Map<String, String> in(Map<String, String> environment) {
            Map<String, String> changed = new HashMap<>(environment);
            changed.values().removeIf(given.key()::equals);
            changed.keySet().removeIf(variable -> variable.startsWith("MOLECULE_MODEL_"));
            for (var names : NAMES) {
                if (given.key().equals(environment.get(names.key))) {
                    changed.put(names.key, NO_KEY);
                    changed.put(
                            names.url,
                            "http://%s:%d/%s%s"
                                    .formatted(names.host, server.getAddress().getPort(), name, names.path));
                }
            }
            return changed;
        }

        @Override
        public void close() {
            ways.remove(name);
        }
    }

    private final GivenModels given;
    private final HttpServer server;
    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT_TIMEOUT)
            .followRedirects(HttpClient.Redirect.NEVER)
            .build();
    private final Map<String, Way> ways = new ConcurrentHashMap<>();
    private final Semaphore calls = new Semaphore(CALLS_MAX);
    private final Semaphore restingBytes = new Semaphore(RESTING_MAX_BYTES);
    private final Duration pause;

    ModelPort(GivenModels given) throws IOException {
        this(given, REST_PAUSE);
    }

    /** @param pause between two questions of a call that rests */
    ModelPort(GivenModels given, Duration pause) throws IOException {
        this.given = given;
        this.pause = pause;
        this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::serve);
        server.setExecutor(task -> Thread.ofVirtual().name("model-port").start(task));
        server.start();
    }

    /** As many as there are tasks; each is to be closed. */
    Way wayFor(Prompt prompt) {
        return new Way(prompt);
    }

    @Override
    public void close() {
        server.stop(0);
        client.shutdownNow();
    }

    private void serve(HttpExchange exchange) throws IOException {
        try (exchange) {
            String[] path = exchange.getRequestURI().getRawPath().split("/", 3);
            Way way = path.length == 3 ? ways.get(path[1]) : null;
            if (way == null) {
                refuse(exchange, 404, "no such task");
            } else if (!calls.tryAcquire()) {
                exchange.getResponseHeaders().set("Retry-After", "1");
                refuse(exchange, 429, "too many calls of models are under way");
            } else {
                try {
                    pass(exchange, way, "/" + path[2]);
                } finally {
                    calls.release();
                }
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private void pass(HttpExchange exchange, Way way, String path) throws IOException, InterruptedException {
        byte[] request = exchange.getRequestBody().readNBytes(REQUEST_MAX_BYTES + 1);
        if (request.length > REQUEST_MAX_BYTES) {
            refuse(exchange, 413, "a request is at most 16 MiB long");
            return;
        }
        var resting = new RestingAnswer(exchange, path, request);
        HttpResponse<InputStream> answer;
        try {
            answer = ask(exchange, way, path, request);
            if (isUnpaid(answer) && restingBytes.tryAcquire(request.length)) {
                way.rests();
                try {
                    answer = whenPaid(exchange, way, path, request, answer, resting);
                } finally {
                    way.goesOn();
                    restingBytes.release(request.length);
                }
            }
        } catch (IOException unreachable) {
            LOGGER.atWarn()
                    .addKeyValue("failure", unreachable.getClass().getSimpleName())
                    .log("the model door cannot be reached");
            if (!resting.hasBegun()) {
                refuse(exchange, 503, "the platform's model door cannot be reached");
            }
            return;
        }
        try (var body = answer.body()) {
            if (resting.hasBegun()) {
                resting.end(answer.statusCode(), body);
            } else {
                answer(exchange, answer, body);
            }
        }
    }

    private static boolean isUnpaid(HttpResponse<?> answer) {
        return answer.statusCode() == PAYMENT_REQUIRED
                && answer.headers().firstValue(BUDGET_HEADER).isPresent();
    }

    /** The answer once there is one; the last refusal when the task is over, or too long has passed. */
    private HttpResponse<InputStream> whenPaid(
            HttpExchange exchange,
            Way way,
            String path,
            byte[] request,
            HttpResponse<InputStream> refusal,
            RestingAnswer resting)
            throws IOException, InterruptedException {
        long begun = System.nanoTime();
        var answer = refusal;
        LOGGER.atInfo().log("a call of a program rests: there is no money for it");
        while (isUnpaid(answer) && ways.containsKey(way.name) && System.nanoTime() - begun < REST_MAX.toNanos()) {
            answer.body().close();
            Thread.sleep(pause);
            resting.stillThere();
            answer = ask(exchange, way, path, request);
        }
        return answer;
    }

    private HttpResponse<InputStream> ask(HttpExchange exchange, Way way, String path, byte[] body)
            throws IOException, InterruptedException {
        String query = exchange.getRequestURI().getRawQuery();
        boolean bodiless = Set.of("GET", "HEAD").contains(exchange.getRequestMethod());
        var request = HttpRequest.newBuilder(URI.create(given.door() + path + (query == null ? "" : "?" + query)))
                .timeout(FIRST_BYTE)
                .method(
                        exchange.getRequestMethod(),
                        bodiless ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofByteArray(body));
        exchange.getRequestHeaders().forEach((name, values) -> {
            if (!NOT_PASSED.contains(name.toLowerCase(Locale.ROOT))) {
                values.forEach(value -> request.header(name, value));
            }
        });
        request.setHeader("Authorization", "Bearer " + given.key());
        way.purpose.ifPresent(id -> request.setHeader("X-Molecule-Context", id));
        way.trace.headers().map().forEach((name, values) -> request.setHeader(name, values.getFirst()));
        return client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
    }

    private static void answer(HttpExchange exchange, HttpResponse<InputStream> answer, InputStream body)
            throws IOException {
        answer.headers().map().forEach((name, values) -> {
            if (!NOT_PASSED.contains(name.toLowerCase(Locale.ROOT))) {
                exchange.getResponseHeaders().put(name, values);
            }
        });
        boolean bodiless = exchange.getRequestMethod().equals("HEAD") || answer.statusCode() == 204;
        exchange.sendResponseHeaders(answer.statusCode(), bodiless ? -1 : 0);
        if (bodiless) {
            return;
        }
        var out = exchange.getResponseBody();
        byte[] buffer = new byte[BUFFER_BYTES];
        for (int read = body.read(buffer); read >= 0; read = body.read(buffer)) {
            out.write(buffer, 0, read);
            out.flush(); // an event of a stream is not to wait for the next
        }
    }

    private static void refuse(HttpExchange exchange, int status, String message) throws IOException {
        byte[] body = ("{\"error\":{\"message\":\"" + message + "\"}}").getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
    }
}
