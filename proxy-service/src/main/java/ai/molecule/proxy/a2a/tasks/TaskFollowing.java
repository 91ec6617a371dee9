package ai.molecule.proxy.a2a.tasks;

import ai.molecule.common.ApiError;
import ai.molecule.common.json.Json;
import ai.molecule.proxy.a2a.admission.Admission;
import ai.molecule.proxy.a2a.calls.A2aAnswer;
import ai.molecule.proxy.protocol.Protocol;
import ai.molecule.proxy.protocol.TaskState;
import ai.molecule.proxy.streams.Relay;
import ai.molecule.proxy.streams.StreamHead.Origin;
import ai.molecule.proxy.streams.Streams;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * Follows a task whose agent has no streams: the task first, then what {@code tasks/get} tells anew, once a second and later at a quarter of the
 * time since the last change. It is a stream like any other, journalled and read in either version; a proxy that dies ends it, because its
 * agent cannot be followed by another. To be used on one event loop.
 */
final class TaskFollowing {

    static final int FOLLOWED_MAX = 500;
    private static final Duration LOOK_MIN = Duration.ofSeconds(1);
    private static final Duration LOOK_MAX = Duration.ofSeconds(15);
    private static final Duration LONGEST = Duration.ofMinutes(30);

    /** Looks that fail one after the other before the stream is ended. */
    private static final int MISSED_MAX = 5;

    private final Vertx vertx;
    private final Streams streams;
    private final TaskLookup lookup;
    private final Supplier<UUID> ids;
    private int followed;

    TaskFollowing(Vertx vertx, Streams streams, TaskLookup lookup, Supplier<UUID> ids) {
        this.vertx = vertx;
        this.streams = streams;
        this.lookup = lookup;
        this.ids = ids;
    }

    /** Fails with NOT_FOUND where the agent knows no such task, and UNAVAILABLE while too many are followed. */
    Future<A2aAnswer> follow(Admission.Admitted reader, Rpc rpc, String taskId, Protocol protocol, byte[] request) {
        if (followed >= FOLLOWED_MAX) {
            return Future.failedFuture(ApiError.unavailable("too many tasks are followed"));
        }
        return lookup.ask(reader, taskId).map(json -> {
            var task = (ObjectNode) Json.stored(json);
            if (isOver(task) && protocol == Protocol.V1_0) {
                return Rpc.over(rpc.id(), taskId);
            }
            var relay = streams.told(
                    ids.get(),
                    new Origin(
                            reader.target(),
                            reader.sender().workspaceId(),
                            Protocol.V0_3,
                            "tasks/resubscribe",
                            rpc.id(),
                            request,
                            1));
            var answer = new A2aAnswer.Stream(200, streams.firstReader(relay));
            followed++;
            relay.ended().onComplete(over -> followed--);
            relay.say(event(rpc, task));
            new Following(reader, rpc, taskId, relay).goOn(task);
            return answer;
        });
    }

    private final class Following {

        private final Admission.Admitted reader;
        private final Rpc rpc;
        private final String taskId;
        private final Relay relay;
        private final long begunNanos = System.nanoTime();
        private long changedNanos = begunNanos;
        private int missed;

        Following(Admission.Admitted reader, Rpc rpc, String taskId, Relay relay) {
            this.reader = reader;
            this.rpc = rpc;
            this.taskId = taskId;
            this.relay = relay;
        }

        void goOn(ObjectNode last) {
            if (relay.over()) {
                return;
            }
            if (isOver(last)) {
                relay.conclude();
                return;
            }
            long now = System.nanoTime();
            if (now - begunNanos > LONGEST.toNanos()) {
                relay.interrupt("the agent took too long");
                return;
            }
            long pause = Math.clamp((now - changedNanos) / 4_000_000, LOOK_MIN.toMillis(), LOOK_MAX.toMillis());
            vertx.setTimer(pause, due -> look(last));
        }

        private void look(ObjectNode last) {
            lookup.ask(reader, taskId).onComplete(asked -> {
                if (relay.over()) {
                    return;
                }
                if (asked.failed()) {
                    if (++missed >= MISSED_MAX) {
                        relay.interrupt("the agent does not tell of the task any more");
                    } else {
                        goOn(last);
                    }
                    return;
                }
                missed = 0;
                var task = (ObjectNode) Json.stored(asked.result());
                tell(last, task);
                goOn(task);
            });
        }

        private void tell(JsonNode last, JsonNode task) {
            for (JsonNode artifact : task.path("artifacts")) {
                if (!has(last.path("artifacts"), artifact)) {
                    var update = update("artifact-update", task);
                    update.set("artifact", artifact);
                    relay.say(event(rpc, update.put("append", false).put("lastChunk", true)));
                    changedNanos = System.nanoTime();
                }
            }
            if (!task.path("status").equals(last.path("status"))) {
                var update = update("status-update", task);
                update.set("status", task.path("status"));
                relay.say(event(rpc, update.put("final", endsTurn(task))));
                changedNanos = System.nanoTime();
            }
        }

        private ObjectNode update(String kind, JsonNode task) {
            var update = Json.object().put("kind", kind).put("taskId", taskId);
            if (task.path("contextId").isTextual()) {
                update.set("contextId", task.get("contextId"));
            }
            return update;
        }
    }

    private static boolean has(JsonNode artifacts, JsonNode artifact) {
        for (JsonNode one : artifacts) {
            if (one.equals(artifact)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isOver(JsonNode task) {
        return stateOf(task).filter(TaskState::isFinal).isPresent();
    }

    private static boolean endsTurn(JsonNode task) {
        return isOver(task)
                || stateOf(task)
                        .filter(state -> state == TaskState.INPUT_REQUIRED || state == TaskState.AUTH_REQUIRED)
                        .isPresent();
    }

    private static Optional<TaskState> stateOf(JsonNode task) {
        return TaskState.ofWire(task.path("status").path("state").asText());
    }

    private static String event(Rpc rpc, JsonNode result) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + rpc.id() + ",\"result\":" + Json.text(result) + "}";
    }
}
