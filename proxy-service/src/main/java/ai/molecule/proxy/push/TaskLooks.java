package ai.molecule.proxy.push;

import ai.molecule.common.ApiError;
import ai.molecule.common.json.Json;
import ai.molecule.proxy.bridge.Bridge;
import ai.molecule.proxy.leases.LeaseRunner;
import ai.molecule.proxy.protocol.Protocol;
import ai.molecule.proxy.protocol.TaskState;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at tasks that somebody wants to be told of, soon after a change and then ever less often, and puts what changed into the outbox: the
 * status and the artifacts, without the history. Ends with the task, or when its agent does not know it.
 */
final class TaskLooks implements LeaseRunner.Worker<WatchedTask> {

    private static final Logger LOGGER = LoggerFactory.getLogger(TaskLooks.class);
    private static final Duration OVER = Duration.ofMillis(-1);

    private final PgPushTasks store;
    private final TaskSource agents;
    private final PushLimits limits;
    private final Runnable changed;
    private boolean stopped;

    /** @param changed poked when there is something to tell */
    TaskLooks(PgPushTasks store, TaskSource agents, PushLimits limits, Runnable changed) {
        this.store = store;
        this.agents = agents;
        this.limits = limits;
        this.changed = changed;
    }

    @Override
    public void stop() {
        stopped = true;
    }

    @Override
    public Future<Void> advance(WatchedTask watched) {
        return agents.task(watched.workspaceId(), watched.callerId(), watched.taskId())
                .transform(asked -> stopped
                        ? Future.succeededFuture()
                        : asked.succeeded() ? seen(watched, asked.result()) : missed(watched, asked.cause()));
    }

    private Future<Void> seen(WatchedTask watched, String json) {
        if (!(Json.stored(json) instanceof ObjectNode task)) {
            return rest(watched);
        }
        task.remove("history");
        String digest = digestOf(task);
        if (digest.equals(watched.seen())) {
            return rest(watched);
        }
        boolean over = TaskState.ofWire(task.path("status").path("state").asText())
                .filter(TaskState::isFinal)
                .isPresent();
        if (Json.bytes(task).length > limits.bodyMaxBytes()) {
            task.remove("artifacts");
        }
        if (Json.bytes(task).length > limits.bodyMaxBytes()) {
            task = (ObjectNode) Json.stored(withoutWords(task));
        }
        String in03 = Json.text(task);
        var in10 = Json.object().set("task", Json.stored(Bridge.task(in03, Protocol.V1_0)));
        return store.changed(
                        watched.held(),
                        digest,
                        Buffer.buffer(in03),
                        Json.buffer(in10),
                        over ? OVER : limits.lookMin(),
                        limits.waitingMax())
                .onSuccess(held -> changed.run())
                .mapEmpty();
    }

    /** What cannot be left out of a task. */
    private static String withoutWords(ObjectNode task) {
        var bare = Json.object().put("kind", "task");
        for (String name : new String[] {"id", "contextId"}) {
            if (task.has(name)) {
                bare.set(name, task.get(name));
            }
        }
        var status = bare.putObject("status");
        for (String name : new String[] {"state", "timestamp"}) {
            if (task.path("status").has(name)) {
                status.set(name, task.path("status").get(name));
            }
        }
        return Json.text(bare);
    }

    /** An agent that is away is looked for as seldom as one that has nothing new. */
    private Future<Void> missed(WatchedTask watched, Throwable failure) {
        boolean unknown = failure instanceof ApiError error && error.kind() == ApiError.Kind.NOT_FOUND;
        if (!unknown) {
            return rest(watched);
        }
        LOGGER.atInfo()
                .addKeyValue("workspaceId", watched.workspaceId())
                .log("an agent does not know a task any more that somebody wants to be told of");
        return store.end(watched.held()).mapEmpty();
    }

    private Future<Void> rest(WatchedTask watched) {
        return store.rest(watched.held(), limits.lookAfter(watched.sinceChange()))
                .mapEmpty();
    }

    private static String digestOf(JsonNode task) {
        String told = task.path("status") + "\n" + task.path("artifacts");
        return TaskDigest.of(told.getBytes(StandardCharsets.UTF_8));
    }
}
