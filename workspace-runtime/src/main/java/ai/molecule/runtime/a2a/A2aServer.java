package ai.molecule.runtime.a2a;

import ai.molecule.runtime.a2a.A2aMethods.Outcome;
import ai.molecule.runtime.tasks.TaskRefused;
import ai.molecule.runtime.tasks.TaskSnapshot;
import ai.molecule.runtime.tasks.Tasks;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The agent's HTTP side: two paths for the card, two for JSON-RPC, 404 for the rest, JSON in every case. */
public final class A2aServer {

    /** How long a blocking send waits for its task before it answers with the task as it is. */
    static final Duration BLOCKING_MAX = Duration.ofMinutes(30);

    /** More streams than this are not open at the same time. */
    static final int STREAMS_MAX = 4_000;

    private static final Logger LOGGER = LoggerFactory.getLogger(A2aServer.class);
    private static final Set<String> CARD_PATHS = Set.of("/.well-known/agent-card.json", "/.well-known/agent.json");
    private static final Set<String> RPC_PATHS = Set.of("/", "/a2a");
    private static final String TARGET = "X-Molecule-Target";

    private final Vertx vertx;
    private final String workspaceId;
    private final A2aMethods methods;
    private final BodyReader bodies;
    private final HttpServer server;
    private final IntFunction<ObjectNode> cardAt;
    private Buffer card = Buffer.buffer(); // made when first asked for: before listening there is no port
    private int openStreams;

    /**
     * @param cardAt makes the card for the port the server got
     * @param bodiesMaxBytes how much memory request bodies may take while they arrive
     */
    public A2aServer(
            Vertx vertx, String workspaceId, Tasks tasks, IntFunction<ObjectNode> cardAt, long bodiesMaxBytes) {
        this.vertx = vertx;
        this.cardAt = cardAt;
        this.workspaceId = workspaceId;
        this.methods = new A2aMethods(tasks);
        this.bodies = new BodyReader(vertx, bodiesMaxBytes);
        // longer than the longest silence of a connection in use; it only clears away forgotten ones
        long idleSeconds = BLOCKING_MAX.plusMinutes(1).toSeconds();
        this.server = vertx.createHttpServer(new HttpServerOptions()
                        .setIdleTimeout((int) idleSeconds)
                        .setIdleTimeoutUnit(TimeUnit.SECONDS)
                        .setHttp2ClearTextEnabled(false) // closing one stuck reader must not close others
                        .setHandle100ContinueAutomatically(true))
                .requestHandler(this::handle);
    }

    /** Listens, and completes with the port; port 0 lets the system choose. */
    public Future<Integer> listen(String host, int port) {
        return server.listen(port, host).map(HttpServer::actualPort);
    }

    /** Takes no further connections, and waits that long for answers still being given. */
    public Future<Void> shutdown(Duration grace) {
        return server.shutdown(grace.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void handle(HttpServerRequest request) {
        String target = request.getHeader(TARGET);
        boolean isGet =
                request.method().equals(HttpMethod.GET) || request.method().equals(HttpMethod.HEAD);
        if (target != null && !target.equals(workspaceId)) {
            refuse(request, new HttpRefusal(421, "this is not workspace " + shortened(target)));
        } else if (isGet && CARD_PATHS.contains(request.path())) {
            request.response().putHeader("Cache-Control", "no-cache");
            answer(request.response(), 200, card());
        } else if (request.method().equals(HttpMethod.POST) && RPC_PATHS.contains(request.path())) {
            bodies.read(request).onSuccess(body -> call(request, body)).onFailure(failure -> refuse(request, failure));
        } else {
            refuse(request, new HttpRefusal(404, "not found"));
        }
    }

    private Buffer card() {
        if (card.length() == 0) {
            card = Json.write(cardAt.apply(server.actualPort()));
        }
        return card;
    }

    private void call(HttpServerRequest http, Buffer body) {
        JsonNode id = Json.object().nullNode();
        try {
            JsonNode json = Json.parse(body);
            id = RpcRequest.idOf(json);
            RpcRequest request = RpcRequest.parse(json);
            String version = namedVersion(http);
            ProtocolVersion.require(version, request.method());
            respond(http, request, methods.call(request, !version.isEmpty()));
        } catch (RpcError error) {
            answer(http.response(), error, RpcRequest.error(id, error));
        } catch (TaskRefused refused) {
            RpcError error = RpcError.of(refused);
            answer(http.response(), error, RpcRequest.error(id, error));
        } catch (RuntimeException unforeseen) {
            LOGGER.atError().setCause(unforeseen).log("request failed unexpectedly");
            answer(http.response(), RpcError.internal(), RpcRequest.error(id, RpcError.internal()));
        }
    }

    private void respond(HttpServerRequest http, RpcRequest request, Outcome outcome) {
        switch (outcome) {
            case Outcome.Now now -> answer(http.response(), 200, Json.write(request.result(now.result())));
            case Outcome.Later later -> answerLater(http.response(), request, later);
            case Outcome.Stream stream -> stream(http, request, stream);
        }
    }

    private void answerLater(HttpServerResponse response, RpcRequest request, Outcome.Later later) {
        Context context = vertx.getOrCreateContext();
        long timer = later.settled().isDone()
                ? -1
                : vertx.setTimer(
                        BLOCKING_MAX.toMillis(),
                        id -> answer(response, request, later, later.task().snapshot()));
        Future.fromCompletionStage(later.settled(), context).onSuccess(task -> {
            vertx.cancelTimer(timer);
            answer(response, request, later, task);
        });
    }

    private void stream(HttpServerRequest http, RpcRequest request, Outcome.Stream outcome) {
        if (openStreams >= STREAMS_MAX) {
            RpcError busy = RpcError.busy("too many streams are open");
            answer(http.response(), busy, request.error(busy));
            return;
        }
        openStreams++;
        HttpServerResponse response = http.response()
                .setChunked(true)
                .putHeader("Content-Type", "text/event-stream")
                .putHeader("Cache-Control", "no-cache");
        var stream = new SseStream(
                vertx.getOrCreateContext(), response, () -> http.connection().close(), request, outcome.view());
        response.closeHandler(closed -> stream.stop());
        response.endHandler(ended -> openStreams--);
        stream.start(outcome.historyMax());
    }

    private void refuse(HttpServerRequest request, Throwable failure) {
        if (failure instanceof HttpRefusal refusal) {
            ObjectNode body = Json.object().put("error", refusal.getMessage());
            answer(request.response(), refusal.status(), Json.write(body));
        } else {
            LOGGER.atDebug().setCause(failure).log("request broke off");
        }
    }

    private static void answer(
            HttpServerResponse response, RpcRequest request, Outcome.Later later, TaskSnapshot task) {
        answer(response, 200, Json.write(request.result(later.answer().apply(task))));
    }

    private static void answer(HttpServerResponse response, RpcError error, ObjectNode body) {
        answer(response, error.httpStatus(), Json.write(body));
    }

    /** The caller may have left meanwhile, or have been answered when its time was up. */
    private static void answer(HttpServerResponse response, int status, Buffer body) {
        if (response.ended() || response.closed()) {
            return;
        }
        if (status == 503) {
            response.putHeader("Retry-After", "1");
        }
        response.setStatusCode(status)
                .putHeader("Content-Type", "application/json")
                .end(body);
    }

    private static String namedVersion(HttpServerRequest http) {
        String header = http.getHeader(ProtocolVersion.PARAMETER);
        return Objects.requireNonNullElse(header == null ? http.getParam(ProtocolVersion.PARAMETER) : header, "")
                .strip();
    }

    private static String shortened(String text) {
        return text.length() <= 64 ? text : text.substring(0, 64);
    }
}
