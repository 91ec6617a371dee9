package ai.molecule.runtime.a2a;

import ai.molecule.runtime.tasks.TaskRefused;
import ai.molecule.runtime.tasks.Tasks;
import ai.molecule.sdk.SpanOutlet;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/** The agent's HTTP side: every {@link Route}, 404 for the rest, JSON in every case. */
public final class A2aServer {

    private final Vertx vertx;
    private final Access access;
    private final A2aMethods methods;
    private final RpcEndpoint rpc;
    private final HttpJsonEndpoint httpJson;
    private final TranscriptEndpoint transcripts;
    private final BodyReader bodies;
    private final HttpServer server;
    private final CardEndpoint cards;

    /**
     * @param cardAt makes the card for the port the server got
     * @param cardForm what it is shown as to whoever names no version
     * @param transcript tells what happened in the agent's session
     * @param spans where what is done for messages that are traced is told
     * @param bodiesMaxBytes how much memory request bodies may take while they arrive
     */
    public A2aServer(
            Vertx vertx,
            Access access,
            Tasks tasks,
            IntFunction<ObjectNode> cardAt,
            CardForm cardForm,
            TranscriptSource transcript,
            SpanOutlet spans,
            long bodiesMaxBytes) {
        this.vertx = vertx;
        this.access = access;
        this.methods = new A2aMethods(tasks, access.workspaceId());
        var writer = new OutcomeWriter(vertx, spans, access::passportOf);
        var form10 = new WireForm10(access.workspaceId());
        this.rpc = new RpcEndpoint(methods, writer, form10);
        this.httpJson = new HttpJsonEndpoint(methods, writer, form10);
        this.transcripts = new TranscriptEndpoint(vertx, transcript);
        this.bodies = new BodyReader(vertx, bodiesMaxBytes);
        // longer than the longest silence of a connection in use; it only clears away forgotten ones
        long idleSeconds = OutcomeWriter.BLOCKING_MAX.plusMinutes(1).toSeconds();
        this.server = vertx.createHttpServer(new HttpServerOptions()
                        .setIdleTimeout((int) idleSeconds)
                        .setIdleTimeoutUnit(TimeUnit.SECONDS)
                        .setHttp2ClearTextEnabled(false) // closing one stuck reader must not close others
                        .setHandle100ContinueAutomatically(true))
                .requestHandler(this::handle);
        this.cards = new CardEndpoint(() -> cardAt.apply(server.actualPort()), cardForm);
    }

    /** Listens, and completes with the port; port 0 lets the system choose. */
    public Future<Integer> listen(String host, int port) {
        return server.listen(port, host).map(HttpServer::actualPort);
    }

    /** Shows another card from now on. */
    public void showCard(ObjectNode card) {
        cards.showAnew(card);
    }

    /** Takes no further connections, and waits that long for answers still being given. */
    public Future<Void> shutdown(Duration grace) {
        return server.shutdown(grace.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void handle(HttpServerRequest request) {
        try {
            access.checkOrigin(request);
            access.checkTarget(request);
            String path = pathOf(request);
            Route route = Route.of(request.method(), path).orElseThrow(() -> new HttpRefusal(404, "not found"));
            var admitted = access.check(vertx, route, request);
            if (admitted.succeeded()) {
                answer(route, request, route.idIn(path));
                return;
            }
            request.pause(); // until it is known who asks
            admitted.onComplete(known -> request.resume())
                    .onSuccess(known -> answerSafely(route, request, route.idIn(path)))
                    .onFailure(failure -> HttpAnswers.refuse(request.response(), failure));
        } catch (HttpRefusal refusal) {
            HttpAnswers.refuse(request.response(), refusal);
        }
    }

    private void answerSafely(Route route, HttpServerRequest request, String id) {
        try {
            answer(route, request, id);
        } catch (HttpRefusal refusal) {
            HttpAnswers.refuse(request.response(), refusal);
        }
    }

    /** Without the tenant, which a path of HTTP+JSON may begin with: only this workspace is one. */
    private String pathOf(HttpServerRequest request) {
        String tenant = "/" + access.workspaceId() + "/";
        String path = request.path();
        return path.startsWith(tenant) ? path.substring(tenant.length() - 1) : path;
    }

    private void answer(Route route, HttpServerRequest request, String id) {
        if (route.operation().isPresent()) {
            operate(route.operation().get(), request, id);
            return;
        }
        switch (route) {
            case CARD, OLDER_CARD -> cards.show(request);
            case CALL, CALL_BY_NAME ->
                bodies.read(request)
                        .onSuccess(body -> rpc.call(request, body))
                        .onFailure(failure -> HttpAnswers.refuse(request.response(), failure));
            case OLDER_TASK -> {
                if (ProtocolVersion.is10(ProtocolVersion.named(request))) {
                    httpJson.call(request, Operation.GET, id);
                } else {
                    task(request, id);
                }
            }
            case TASK -> task(request, id);
            case TRANSCRIPT -> transcripts.show(request);
            default -> throw new IllegalStateException(route + " has an operation");
        }
    }

    private void operate(Operation operation, HttpServerRequest request, String id) {
        if (request.method().equals(HttpMethod.POST)) {
            bodies.read(request)
                    .onSuccess(body -> httpJson.call(request, operation, id, body))
                    .onFailure(failure -> HttpAnswers.refuse(request.response(), failure));
        } else {
            httpJson.call(request, operation, id);
        }
    }

    /** The protocol's older form over plain HTTP: the task itself, without JSON-RPC around it. */
    private void task(HttpServerRequest request, String encodedId) {
        try {
            String version = ProtocolVersion.named(request);
            if (!version.isEmpty() && !ProtocolVersion.is03(version)) {
                String shown = ProtocolVersion.is10(version) ? "1.0" : "of that version";
                throw new HttpRefusal(400, "A2A " + shown + " is not spoken at this path, ask /tasks/<id>");
            }
            String id = URLDecoder.decode(encodedId, StandardCharsets.UTF_8);
            OptionalInt historyMax = HttpParameters.count(request, "historyLength");
            HttpAnswers.answer(request.response(), 200, Json.write(methods.task(id, historyMax)));
        } catch (TaskRefused unknown) {
            throw new HttpRefusal(404, String.valueOf(unknown.getMessage()));
        } catch (IllegalArgumentException brokenEscape) {
            throw new HttpRefusal(400, "bad request");
        }
    }
}
