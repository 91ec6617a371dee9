package ai.molecule.proxy.a2a.calls;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.provisioner.IsRunning;
import ai.molecule.common.bus.provisioner.IsRunning.Verdict;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** Turns a call without an answer into what the caller is told; the engine is asked whether the agent's process lives. */
final class Unreachable {

    static final String LET_GO = "waits_for_person";

    private static final String STILL_WORKING = "agent still working";

    private final Bus bus;
    private final Duration engineWait;

    Unreachable(Bus bus, Duration engineWait) {
        this.bus = bus;
        this.engineWait = engineWait;
    }

    /** @param provisioned whether an engine of ours runs the agent */
    Future<ApiError> explain(AgentFailure failure, UUID target, boolean provisioned) {
        return told(failure, target, provisioned).map(error -> (ApiError) error.initCause(failure));
    }

    private Future<ApiError> told(AgentFailure failure, UUID target, boolean provisioned) {
        return switch (failure.kind()) {
            case REFUSED -> ask(target, provisioned).map(verdict -> gone(verdict, Map.of()));
            case LOST, STOPPED -> ask(target, provisioned).map(verdict -> gone(verdict, Map.of("delivered", true)));
            case MISDIRECTED -> Future.succeededFuture(gone(Verdict.UNKNOWN, Map.of()));
            case CUT, PACKED -> Future.succeededFuture(badAnswer("failed to read agent response", failure));
            case TOO_LARGE -> Future.succeededFuture(badAnswer("agent response exceeds 10 MiB", failure));
            case NO_ROOM -> Future.succeededFuture(noRoom());
            case EXPIRED -> Future.succeededFuture(stillWorking());
            case LET_GO -> Future.succeededFuture(letGo());
        };
    }

    static ApiError letGo() {
        return new ApiError(ApiError.Kind.TIMED_OUT, STILL_WORKING, Map.of("delivered", true, LET_GO, true));
    }

    static ApiError stillWorking() {
        return new ApiError(ApiError.Kind.TIMED_OUT, STILL_WORKING, Map.of("delivered", true));
    }

    private static ApiError noRoom() {
        return new ApiError(
                ApiError.Kind.UNAVAILABLE,
                "the platform had no room for the agent's answer — retry shortly",
                Map.of("delivered", true, "code", "platform_unavailable", "retry_after", 2));
    }

    private Future<Verdict> ask(UUID target, boolean provisioned) {
        if (!provisioned) {
            return Future.succeededFuture(Verdict.UNKNOWN);
        }
        return bus.call(IsRunning.CONTRACT, new IsRunning(target))
                .timeout(engineWait.toMillis(), TimeUnit.MILLISECONDS)
                .map(IsRunning.Answer::verdict)
                .otherwise(Verdict.UNKNOWN);
    }

    private static ApiError gone(Verdict verdict, Map<String, Object> more) {
        if (verdict != Verdict.EXITED) {
            return new ApiError(ApiError.Kind.BAD_GATEWAY, "failed to reach workspace agent", more);
        }
        Map<String, Object> details = new HashMap<>(more);
        details.put("restarting", true);
        return new ApiError(
                ApiError.Kind.UNAVAILABLE, "workspace agent unreachable — container restart triggered", details);
    }

    private static ApiError badAnswer(String text, AgentFailure failure) {
        return new ApiError(ApiError.Kind.BAD_GATEWAY, text, Map.of("delivery_confirmed", failure.deliveryConfirmed()));
    }
}
