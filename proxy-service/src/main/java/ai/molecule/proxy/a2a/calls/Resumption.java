package ai.molecule.proxy.a2a.calls;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.registry.ResolveRoute.Route;
import ai.molecule.common.db.RepeatedWrites;
import ai.molecule.proxy.a2a.admission.Admission;
import ai.molecule.proxy.a2a.admission.Sender;
import ai.molecule.proxy.protocol.MessageEnvelope;
import ai.molecule.proxy.protocol.Protocol;
import ai.molecule.proxy.streams.Relay;
import ai.molecule.proxy.streams.StreamHead;
import ai.molecule.proxy.streams.TaskFollower;
import io.vertx.core.Future;
import io.vertx.core.http.HttpClientResponse;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** Follows an agent's task for an owner that died, with the agent's own resubscribe, and writes down how the call ended. */
final class Resumption implements TaskFollower {

    /** After a start of the whole platform the registry may be a few seconds late, and agents restart in about as long. */
    private static final int TRIES = 20;

    private static final long BETWEEN_TRIES_MILLIS = 1_000;

    private final CallParts parts;
    private final RepeatedWrites writes;

    Resumption(CallParts parts) {
        this.parts = parts;
        this.writes = new RepeatedWrites(parts.vertx(), () -> false);
    }

    @Override
    public Future<HttpClientResponse> follow(StreamHead head) {
        return locate(head.origin().workspaceId(), 1)
                .compose(route -> resubscribe(head, route))
                .recover(failure -> Future.failedFuture(
                        failure instanceof Refused
                                ? String.valueOf(failure.getMessage())
                                : "the platform lost the agent and did not reach it again"));
    }

    @Override
    public void ended(StreamHead head, Relay.End end) {
        var origin = head.origin();
        var sender = new Sender(origin.callerId(), origin.workspaceId().equals(origin.callerId()));
        var request = writes.write(() -> parts.streams().request(head.id())).otherwise(new byte[0]);
        parts.routes()
                .resolve(origin.workspaceId(), null)
                .map(Route::name)
                .otherwise("")
                .onSuccess(name -> request.onSuccess(message -> parts.records()
                        .streamed(
                                head.id(),
                                new MessageExchange(
                                        origin.workspaceId(),
                                        name.isEmpty() ? origin.workspaceId().toString() : name,
                                        sender,
                                        new MessageEnvelope(message, origin.rpcId(), origin.method(), null, null, null),
                                        head.id(),
                                        Future.succeededFuture(),
                                        null,
                                        null),
                                origin.durationMs(),
                                end)));
    }

    private Future<Route> locate(UUID target, int attempt) {
        return parts.wakeups()
                .reach(target, parts.limits().comeBack())
                .map(Admission::withUrl)
                .recover(failure -> {
                    boolean later = failure instanceof ApiError error && error.kind() == ApiError.Kind.UNAVAILABLE;
                    return later && attempt < TRIES
                            ? parts.vertx()
                                    .timer(BETWEEN_TRIES_MILLIS, TimeUnit.MILLISECONDS)
                                    .compose(now -> locate(target, attempt + 1))
                            : Future.failedFuture(failure);
                });
    }

    private Future<HttpClientResponse> resubscribe(StreamHead head, Route route) {
        var origin = head.origin();
        Map<String, String> headers = AgentHeaders.of(origin.workspaceId(), origin.callerId());
        if (origin.protocol() != Protocol.V0_3) {
            headers.put(Protocol.VERSION_HEADER, origin.protocol().version());
        }
        return AgentCall.ask(
                        parts,
                        parts.limits().upstream(),
                        route,
                        headers,
                        origin.protocol().resubscribe(origin.rpcId(), head.taskId()))
                .map(answer -> {
                    if (answer instanceof AgentAnswer.Events events) {
                        return events.response();
                    }
                    throw new Refused();
                });
    }

    private static final class Refused extends RuntimeException {
        Refused() {
            super("the agent does not follow the task any more", null, false, false);
        }
    }
}
