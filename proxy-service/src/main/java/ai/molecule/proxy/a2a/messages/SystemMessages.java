package ai.molecule.proxy.a2a.messages;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.proxy.SendAsSystem;
import ai.molecule.common.bus.proxy.SendAsSystem.Sent;
import ai.molecule.common.json.Json;
import ai.molecule.common.workspaces.Delivery;
import ai.molecule.proxy.a2a.admission.Admission;
import ai.molecule.proxy.a2a.admission.Sender;
import ai.molecule.proxy.a2a.calls.A2aAnswer;
import ai.molecule.proxy.a2a.calls.CallPolicy;
import ai.molecule.proxy.a2a.calls.Calls;
import ai.molecule.proxy.a2a.calls.MessageExchange;
import ai.molecule.proxy.protocol.MessageEnvelope;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;

/** Serves {@link SendAsSystem}: what the platform itself has to say to an agent. */
public final class SystemMessages {

    private final Admission admission;
    private final Calls calls;
    private final Supplier<UUID> ids;

    public SystemMessages(Admission admission, Calls calls, Supplier<UUID> ids) {
        this.admission = admission;
        this.calls = calls;
        this.ids = ids;
    }

    public Future<Sent> send(SendAsSystem message) {
        return admission
                .admit(message.workspaceId(), Sender.system(message.name()), new byte[0])
                .compose(admitted -> {
                    if (admitted.route().delivery() == Delivery.POLL) {
                        throw ApiError.conflict("workspace fetches its messages");
                    }
                    var told =
                            InAgentsVersion.of(MessageEnvelope.normalise(body(message), ids), Map.of(), admitted, ids);
                    var exchange = MessageExchange.of(admitted, told.envelope(), Future.succeededFuture());
                    var policy = new CallPolicy(Future::succeededFuture, true, false, answer -> {
                        calls.records().answered(exchange, answer);
                        return Future.failedFuture(busy());
                    });
                    return calls.pressure()
                            .room()
                            .compose(room -> calls.forward(exchange, told.headers(), admitted, policy, patience()));
                })
                .compose(SystemMessages::read)
                .recover(failure -> isStillWorking(failure)
                        ? Future.succeededFuture(new Sent(false))
                        : Future.failedFuture(failure));
    }

    /** No longer than anybody else's. */
    private Duration patience() {
        var callerWait = calls.limits().callerWait();
        return callerWait.compareTo(SendAsSystem.ANSWER_WAIT) < 0 ? callerWait : SendAsSystem.ANSWER_WAIT;
    }

    private static Future<Sent> read(A2aAnswer answer) {
        return switch (answer) {
            case A2aAnswer.Whole whole when whole.status() < 300 -> Future.succeededFuture(new Sent(true));
            case A2aAnswer.Whole whole ->
                Future.failedFuture(new ApiError(
                        ApiError.Kind.BAD_GATEWAY,
                        "the agent answered with status " + whole.status(),
                        Map.of("delivered", true)));
            case A2aAnswer.Stream stream -> {
                stream.events().drain();
                yield Future.succeededFuture(new Sent(false));
            }
            case A2aAnswer.NoStream none -> throw new IllegalStateException("nobody came back to a stream here");
        };
    }

    private byte[] body(SendAsSystem message) {
        var said = Json.object()
                .put("role", "user")
                .put("messageId", message.messageId().toString());
        said.putArray("parts").addObject().put("kind", "text").put("text", message.text());
        said.set("metadata", Json.MAPPER.valueToTree(message.metadata()));
        var envelope = Json.object()
                .put("jsonrpc", "2.0")
                .put("id", ids.get().toString())
                .put("method", "message/send");
        envelope.putObject("params").set("message", said);
        return Json.buffer(envelope).getBytes();
    }

    private static boolean isStillWorking(Throwable failure) {
        return failure instanceof ApiError error && error.kind() == ApiError.Kind.TIMED_OUT;
    }

    private static ApiError busy() {
        return new ApiError(
                ApiError.Kind.UNAVAILABLE,
                "workspace agent busy — retry after a short backoff",
                Map.of("busy", true, "retry_after", 30));
    }
}
