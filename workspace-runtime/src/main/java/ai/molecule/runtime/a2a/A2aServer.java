package ai.molecule.runtime.a2a;

import ai.molecule.runtime.tasks.TaskRefused;
import ai.molecule.runtime.tasks.Tasks;
import ai.molecule.sdk.SpanOutlet;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
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

    private final Access access;
    private final A2aMethods methods;
    private final RpcEndpoint rpc;
    private final TranscriptEndpoint transcripts;
    private final BodyReader bodies;
    private final HttpServer server;
    private final CardEndpoint cards;

    /**
     * @param cardAt makes the card for the port the server got
     * @param transcript tells what happened in the agent's session
     * @param spans where what is done for messages that are traced is told
     * @param bodiesMaxBytes how much memory request bodies may take while they arrive
     */
    public A2aServer(
            Vertx vertx,
            Access access,
            Tasks tasks,
            IntFunction<ObjectNode> cardAt,
            TranscriptSource transcript,
            SpanOutlet spans,
            long bodiesMaxBytes) {
        this.access = access;
        this.methods = new A2aMethods(tasks);
        this.rpc = new RpcEndpoint(vertx, methods, spans);
        this.transcripts = new TranscriptEndpoint(vertx, transcript);
        this.bodies = new BodyReader(vertx, bodiesMaxBytes);
        // longer than the longest silence of a connection in use; it only clears away forgotten ones
        long idleSeconds = RpcEndpoint.BLOCKING_MAX.plusMinutes(1).toSeconds();
        this.server = vertx.createHttpServer(new HttpServerOptions()
                        .setIdleTimeout((int) idleSeconds)
                        .setIdleTimeoutUnit(TimeUnit.SECONDS)
                        .setHttp2ClearTextEnabled(false) // closing one stuck reader must not close others
                        .setHandle100ContinueAutomatically(true))
                .requestHandler(this::handle);
        this.cards = new CardEndpoint(() -> cardAt.apply(server.actualPort()));
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
            Route route =
                    Route.of(request.method(), request.path()).orElseThrow(() -> new HttpRefusal(404, "not found"));
            access.check(route, request);
            answer(route, request);
        } catch (HttpRefusal refusal) {
            HttpAnswers.refuse(request.response(), refusal);
        }
    }

    private void answer(Route route, HttpServerRequest request) {
        switch (route) {
            case CARD, OLDER_CARD -> cards.show(request);
            case CALL, CALL_BY_NAME ->
                bodies.read(request)
                        .onSuccess(body -> rpc.call(request, body))
                        .onFailure(failure -> HttpAnswers.refuse(request.response(), failure));
            case TASK, OLDER_TASK -> task(request, route.parameter(request.path()));
            case TRANSCRIPT -> transcripts.show(request);
        }
    }

    /** The protocol's older form over plain HTTP: the task itself, without JSON-RPC around it. */
    private void task(HttpServerRequest request, String encodedId) {
        try {
            ProtocolVersion.require(ProtocolVersion.named(request), "tasks/get");
            String id = URLDecoder.decode(encodedId, StandardCharsets.UTF_8);
            OptionalInt historyMax = HttpParameters.count(request, "historyLength");
            HttpAnswers.answer(request.response(), 200, Json.write(methods.task(id, historyMax)));
        } catch (TaskRefused unknown) {
            throw new HttpRefusal(404, String.valueOf(unknown.getMessage()));
        } catch (RpcError wrongVersion) {
            throw new HttpRefusal(400, String.valueOf(wrongVersion.getMessage()));
        } catch (IllegalArgumentException brokenEscape) {
            throw new HttpRefusal(400, "bad request");
        }
    }
}
