package ai.molecule.proxy.a2a.tasks;

import ai.molecule.common.ApiError;
import ai.molecule.common.workspaces.Delivery;
import ai.molecule.proxy.a2a.admission.Admission;
import ai.molecule.proxy.a2a.calls.AgentAnswer;
import ai.molecule.proxy.a2a.calls.AgentHeaders;
import ai.molecule.proxy.a2a.calls.Calls;
import ai.molecule.proxy.bridge.Bridge;
import ai.molecule.proxy.json.JsonScanner;
import ai.molecule.proxy.json.Shape;
import ai.molecule.proxy.protocol.Protocol;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Map;

/** Asks an agent for one of its tasks. A read for whoever watches: it leaves no activity row. */
final class TaskLookup {

    private static final Duration WAIT = Duration.ofSeconds(5);
    private static final Shape RESULT = Shape.of("result");

    private final Calls calls;

    TaskLookup(Calls calls) {
        this.calls = calls;
    }

    /**
     * The task as JSON; NOT_FOUND when the agent knows none or fetches its messages, because such an agent is never dialled;
     * BAD_GATEWAY when it gives no proper answer within 5 s.
     */
    Future<String> ask(Admission.Admitted reader, String taskId) {
        if (reader.route().delivery() == Delivery.POLL) {
            return Future.failedFuture(ApiError.notFound("task not found"));
        }
        return Future.succeededFuture(reader.route())
                .map(Admission::withUrl)
                .compose(route -> calls.ask(
                                route,
                                headers(reader, spokenTo(reader)),
                                spokenTo(reader).getTask("1", taskId),
                                WAIT)
                        .recover(gone -> Future.failedFuture(notReached())))
                .map(answer -> {
                    if (!(answer instanceof AgentAnswer.Whole whole) || whole.status() != 200) {
                        throw notReached();
                    }
                    byte[] body = whole.body().getBytes();
                    if (Rpc.isTaskNotFound(body)) {
                        throw ApiError.notFound("task not found");
                    }
                    return JsonScanner.scan(body, RESULT)
                            .map(found -> found.at(0))
                            .filter(result -> result.startsWith(body, '{'))
                            .map(result -> result.in(body))
                            .map(task -> spokenTo(reader) == Protocol.V0_3 ? task : Bridge.task(task, Protocol.V0_3))
                            .orElseThrow(TaskLookup::notReached);
                });
    }

    private static Protocol spokenTo(Admission.Admitted reader) {
        return reader.route().only10() ? Protocol.V1_0 : Protocol.V0_3;
    }

    private static Map<String, String> headers(Admission.Admitted reader, Protocol spoken) {
        var headers = AgentHeaders.of(reader.target(), reader.sender().workspaceId());
        if (spoken == Protocol.V1_0) {
            headers.put(Protocol.VERSION_HEADER, spoken.version());
        }
        return headers;
    }

    private static ApiError notReached() {
        return new ApiError(ApiError.Kind.BAD_GATEWAY, "failed to reach workspace agent");
    }
}
