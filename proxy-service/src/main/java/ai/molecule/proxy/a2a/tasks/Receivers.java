package ai.molecule.proxy.a2a.tasks;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.registry.ResolveRoute.Route;
import ai.molecule.common.json.Json;
import ai.molecule.common.workspaces.Delivery;
import ai.molecule.proxy.a2a.admission.A2aRequest;
import ai.molecule.proxy.a2a.admission.Admission;
import ai.molecule.proxy.a2a.calls.A2aAnswer;
import ai.molecule.proxy.bridge.A2aErrorCode;
import ai.molecule.proxy.bridge.Bridge;
import ai.molecule.proxy.protocol.Protocol;
import ai.molecule.proxy.protocol.Protocol.Method;
import ai.molecule.proxy.push.PushConfig;
import ai.molecule.proxy.push.PushService;
import ai.molecule.proxy.push.PushService.Asker;
import ai.molecule.proxy.push.PushService.What;
import ai.molecule.proxy.push.WrongPushParameter;
import ai.molecule.proxy.streams.EventText;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The operations of push notifications, and messages that bring a receiver along: agents see nothing of either. */
final class Receivers {

    private static final Logger LOGGER = LoggerFactory.getLogger(Receivers.class);

    private final PushService push;
    private final Admission admission;
    private final BiFunction<Admission.Admitted, String, Future<?>> exists;

    /** @param exists fails with NOT_FOUND for a task that is not there, or not the reader's to know of */
    Receivers(PushService push, Admission admission, BiFunction<Admission.Admitted, String, Future<?>> exists) {
        this.push = push;
        this.admission = admission;
        this.exists = exists;
    }

    Future<A2aAnswer> answer(A2aRequest call, Rpc rpc, What what, Protocol protocol) {
        return told(call, rpc, protocol, reader -> {
            var asked = PushService.read(what, tree(call.body()).path("params"), protocol, reader.target());
            return exists.apply(reader, asked.taskId())
                    .recover(failure -> isNotFound(failure) || what == What.SET
                            ? Future.failedFuture(failure)
                            : Future.succeededFuture()) // what is kept here is told while the agent is away
                    .compose(there -> asker(reader, call))
                    .compose(asker -> push.answer(asked, protocol, reader.target(), asker))
                    .map(result -> result == null
                            ? refusal(
                                    rpc, protocol, A2aErrorCode.TASK_NOT_FOUND, "", "no such push notification config")
                            : Rpc.answer(rpc.id(), "result", Json.text(result)))
                    .recover(failure -> isNotFound(failure)
                            ? Future.succeededFuture(
                                    refusal(rpc, protocol, A2aErrorCode.TASK_NOT_FOUND, "", "Task not found"))
                            : Future.failedFuture(failure));
        });
    }

    /**
     * Sends a message without the receiver that it brings, who is kept as soon as its task has a name: before the answer is given, or with the
     * first event of a stream.
     */
    Future<A2aAnswer> kept(A2aRequest call, Rpc rpc, Protocol protocol, Function<A2aRequest, Future<A2aAnswer>> send) {
        return told(call, rpc, protocol, reader -> {
            var request = tree(call.body());
            JsonNode config = request.path("params").path("configuration");
            if (!(config instanceof ObjectNode configuration)) {
                return send.apply(call);
            }
            JsonNode receiver = configuration.remove(PushService.memberOf(protocol));
            if (receiver == null || receiver.isNull()) {
                return send.apply(call);
            }
            return push.brought(receiver, protocol)
                    .compose(checked -> asker(reader, call)
                            .compose(asker -> send.apply(call.saying(Json.bytes(request)))
                                    .compose(answer -> kept(answer, reader, asker, checked, protocol))));
        });
    }

    private Future<A2aAnswer> kept(
            A2aAnswer answer, Admission.Admitted reader, Asker asker, PushConfig receiver, Protocol protocol) {
        if (answer instanceof A2aAnswer.Stream stream) {
            stream.events()
                    .taskNamed()
                    .compose(task -> push.add(reader.target(), asker, task, receiver, protocol))
                    .onFailure(lost -> lost(reader, lost));
            return Future.succeededFuture(answer);
        }
        String task = taskIn(answer, protocol);
        return task == null
                ? Future.succeededFuture(answer)
                : push.add(reader.target(), asker, task, receiver, protocol)
                        .onFailure(lost -> lost(reader, lost))
                        .map(answer)
                        .otherwise(answer);
    }

    private Future<Asker> asker(Admission.Admitted reader, A2aRequest call) {
        return admission.endsWith(call).map(hash -> new Asker(reader.sender().workspaceId(), hash));
    }

    private static @Nullable String taskIn(A2aAnswer answer, Protocol protocol) {
        return answer instanceof A2aAnswer.Whole whole
                ? protocol.sight(whole.body().getBytes())
                        .filter(seen -> seen.state() != null)
                        .map(seen -> seen.taskId())
                        .orElse(null)
                : null;
    }

    private static void lost(Admission.Admitted reader, Throwable why) {
        LOGGER.atWarn()
                .setCause(why)
                .addKeyValue("workspaceId", reader.target())
                .log("who is to be told of a task is not kept");
    }

    private Future<A2aAnswer> told(
            A2aRequest call, Rpc rpc, Protocol protocol, Function<Admission.Admitted, Future<A2aAnswer>> does) {
        return admission.reader(call).compose(reader -> {
            if (reader.route().delivery() == Delivery.POLL) {
                return Future.succeededFuture(refusal(
                        rpc,
                        protocol,
                        A2aErrorCode.PUSH_NOTIFICATION_NOT_SUPPORTED,
                        "",
                        "the agent fetches its messages, so nobody can look at its tasks"));
            }
            return Future.succeededFuture(reader)
                    .compose(does)
                    .recover(failure -> failure instanceof WrongPushParameter wrong
                            ? Future.succeededFuture(refusal(
                                    rpc,
                                    protocol,
                                    A2aErrorCode.INVALID_PARAMS,
                                    wrong.field(),
                                    String.valueOf(wrong.getMessage())))
                            : Future.failedFuture(failure));
        });
    }

    private static A2aAnswer refusal(Rpc rpc, Protocol protocol, A2aErrorCode code, String field, String message) {
        byte[] error = Bridge.error(rpc.id(), protocol, code, field, message);
        boolean event = protocol == Protocol.V1_0 && protocol.methodOf(rpc.method()) == Method.STREAM;
        return event
                ? new A2aAnswer.NoStream(EventText.ofData(new String(error, StandardCharsets.UTF_8))
                        .toString())
                : new A2aAnswer.Whole(200, Buffer.buffer(error));
    }

    private static boolean isNotFound(Throwable failure) {
        return failure instanceof ApiError error && error.kind() == ApiError.Kind.NOT_FOUND;
    }

    private static JsonNode tree(byte[] body) {
        try {
            return Json.parse(body);
        } catch (IOException notJson) {
            return Json.object();
        }
    }

    /** Throws UNAVAILABLE for an agent that is not to be asked for anything now. */
    static Route askable(Route route) {
        if (route.quarantined()) {
            throw ApiError.unavailable(Admission.QUARANTINED);
        }
        return route;
    }
}
