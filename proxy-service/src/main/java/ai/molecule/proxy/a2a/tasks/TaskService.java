package ai.molecule.proxy.a2a.tasks;

import ai.molecule.common.ApiError;
import ai.molecule.common.workspaces.Delivery;
import ai.molecule.proxy.a2a.admission.A2aRequest;
import ai.molecule.proxy.a2a.admission.Admission;
import ai.molecule.proxy.a2a.admission.Sender;
import ai.molecule.proxy.a2a.calls.A2aAnswer;
import ai.molecule.proxy.a2a.calls.Calls;
import ai.molecule.proxy.a2a.messages.MessageService;
import ai.molecule.proxy.bridge.Bridge;
import ai.molecule.proxy.known.KnownTasks;
import ai.molecule.proxy.protocol.Protocol;
import ai.molecule.proxy.protocol.Protocol.Method;
import ai.molecule.proxy.protocol.Sighting;
import ai.molecule.proxy.protocol.TaskState;
import ai.molecule.proxy.push.PushService;
import ai.molecule.proxy.push.PushService.What;
import ai.molecule.proxy.streams.StreamGap;
import ai.molecule.proxy.streams.StreamHead;
import ai.molecule.proxy.streams.Streams;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What goes on after a message was sent: coming back to a stream, asking for a task, cancelling it; in the caller's version of the protocol.
 * The journal answers what it knows, the agent is asked for the rest. Everything else passes to {@link MessageService}.
 */
public final class TaskService {

    private static final Logger LOGGER = LoggerFactory.getLogger(TaskService.class);

    private final MessageService messages;
    private final Admission admission;
    private final Streams streams;
    private final KnownTasks tasks;
    private final TaskLookup lookup;
    private final TaskLists lists;
    private final TaskFollowing following;
    private final Receivers receivers;
    private final Calls calls;

    /** @param ids of streams that no agent sends */
    public TaskService(
            Vertx vertx,
            MessageService messages,
            Admission admission,
            Streams streams,
            Calls calls,
            KnownTasks known,
            PushService push,
            Supplier<UUID> ids) {
        this.messages = messages;
        this.admission = admission;
        this.streams = streams;
        this.tasks = known;
        this.lookup = new TaskLookup(calls);
        this.lists = new TaskLists(known, lookup);
        this.following = new TaskFollowing(vertx, streams, lookup, ids);
        this.calls = calls;
        this.receivers = new Receivers(
                push,
                admission,
                (reader, taskId) -> known(reader, taskId)
                        .compose(seen -> seen.isPresent() ? Future.succeededFuture() : lookup.ask(reader, taskId)));
    }

    /** Fails with an {@link ApiError} of the status table in docs/wire/proxy.md. */
    public Future<A2aAnswer> send(A2aRequest call) {
        var rpc = Rpc.in(call.body()).orElse(null);
        String named = call.passedOn().get(Protocol.VERSION_HEADER);
        boolean namesVersion = named != null && !named.isBlank();
        if (rpc == null) {
            return messages.send(call, Protocol.V0_3) // which says so, if the caller may be told
                    .recover(failure -> failure instanceof ApiError error && error.kind() == ApiError.Kind.INVALID
                            ? Rpc.unreadable(call.body(), namesVersion)
                                    .map(Future::succeededFuture)
                                    .orElseGet(() -> Future.failedFuture(failure))
                            : Future.failedFuture(failure));
        }
        var protocol = Protocol.of(named, rpc.method()).orElse(null);
        if (protocol == null) {
            return admission.admit(call).map(admitted -> Rpc.versionNotSupported(rpc.id(), String.valueOf(named)));
        }
        var flaw = rpc.flaw(protocol, namesVersion).orElse(null);
        return flaw != null
                ? admission.admit(call).map(admitted -> flaw)
                : isOfAnother(call, rpc)
                        .compose(anothers -> anothers
                                ? Future.succeededFuture(Rpc.taskNotFound(rpc.id()))
                                : send(call, rpc, protocol))
                        .map(answer -> told(answer, protocol));
    }

    /** An agent asks for tasks that it began or that are its own, stops them and goes on with them; a person does so with all. */
    private Future<Boolean> isOfAnother(A2aRequest call, Rpc rpc) {
        return rpc.about() == null && rpc.messageId() == null
                ? Future.succeededFuture(false)
                : admission.party(call).compose(reader -> isOfAnother(reader, rpc.about(), rpc.messageId()));
    }

    private Future<Boolean> isOfAnother(
            Admission.Admitted reader, @Nullable String taskId, @Nullable String messageId) {
        var asker = reader.sender().workspaceId();
        return asker == null || asker.equals(reader.target())
                ? Future.succeededFuture(false)
                : tasks.isOfAnother(reader.target(), asker, taskId, messageId);
    }

    /** A stream is kept as its agent tells it, and read in whichever version. */
    private static A2aAnswer told(A2aAnswer answer, Protocol reader) {
        if (answer instanceof A2aAnswer.Stream stream && stream.events().protocol() != reader) {
            stream.events().tell((n, data) -> Bridge.event(n, data, reader));
        }
        return answer;
    }

    /** A task as its agent tells of it, else as the journal saw it, as JSON; NOT_FOUND when neither knows it. */
    public Future<String> task(A2aRequest call, String taskId) {
        return admission
                .reader(call)
                .compose(reader -> known(reader, taskId)
                        .compose(seen -> lookup.ask(reader, taskId)
                                .recover(failure -> fromJournal(seen)
                                        .map(Future::succeededFuture)
                                        .orElseGet(() -> Future.failedFuture(failure)))));
    }

    private Future<A2aAnswer> send(A2aRequest call, Rpc rpc, Protocol protocol) {
        var method = protocol.methodOf(rpc.method());
        String taskId = rpc.taskId();
        boolean following = method == Method.STREAM || method == Method.RESUBSCRIBE;
        String cursor = call.lastEventId();
        if (following && cursor != null && !cursor.isBlank()) {
            return resume(call, rpc, cursor.strip());
        }
        var aboutReceivers = What.of(rpc.method(), protocol);
        if (aboutReceivers.isPresent()) {
            return receivers.answer(call, rpc, aboutReceivers.get(), protocol);
        }
        if (method == Method.LIST_TASKS) {
            return list(call, rpc);
        }
        if (taskId == null) {
            return pass(call, rpc, protocol);
        }
        return switch (method) {
            case RESUBSCRIBE -> resubscribe(call, rpc, taskId, protocol);
            case GET_TASK -> get(call, rpc, taskId, protocol);
            case CANCEL_TASK -> cancel(call, protocol);
            case STREAM, LIST_TASKS, OTHER -> pass(call, rpc, protocol);
        };
    }

    private Future<A2aAnswer> pass(A2aRequest call, Rpc rpc, Protocol protocol) {
        return rpc.bringsReceiver()
                ? receivers.kept(call, rpc, protocol, without -> messages.send(without, protocol))
                : messages.send(call, protocol);
    }

    /** How a task stands, for those that want to be told of it; it leaves no activity row. */
    public Future<String> look(UUID workspace, @Nullable UUID caller, String taskId) {
        return calls.routes()
                .resolve(workspace, null)
                .map(Receivers::askable)
                .compose(route ->
                        lookup.ask(new Admission.Admitted(workspace, new Sender(caller, false), route), taskId));
    }

    private Future<A2aAnswer> resume(A2aRequest call, Rpc rpc, String cursor) {
        return admission
                .reader(call)
                .compose(reader -> streams.resume(
                                cursor, reader.target(), reader.sender().workspaceId(), rpc.id())
                        .map(events -> (A2aAnswer) new A2aAnswer.Stream(200, events))
                        .recover(failure -> failure instanceof StreamGap gap
                                ? Future.succeededFuture(new A2aAnswer.NoStream(gap.event(rpc.id())))
                                : Future.failedFuture(failure)));
    }

    /** The journal has the task's whole stream, unless it ended before the task did. In 1.0 a task that is over is refused, by its agent. */
    private Future<A2aAnswer> resubscribe(A2aRequest call, Rpc rpc, String taskId, Protocol protocol) {
        return admission
                .reader(call)
                .compose(reader -> streams.ofTask(reader.target(), taskId).compose(found -> {
                    var head = found.orElse(null);
                    if (head == null) {
                        return follow(call, rpc, taskId, protocol, reader);
                    }
                    if (!head.mayBeReadBy(reader.sender().workspaceId())) {
                        return Future.succeededFuture(Rpc.taskNotFound(rpc.id()));
                    }
                    boolean overAndRefused = head.isFinal() && protocol == Protocol.V1_0;
                    if (overAndRefused && head.origin().protocol() != protocol) {
                        return Future.succeededFuture(
                                Rpc.over(rpc.id(), taskId)); // an agent of 0.3 would tell its end once more
                    }
                    return (head.goesOn() || head.isFinal()) && !overAndRefused
                            ? Future.succeededFuture(new A2aAnswer.Stream(200, streams.reader(head, rpc.id())))
                            : follow(call, rpc, taskId, protocol, reader);
                }));
    }

    /** By its agent's own stream; where the agent has none, by looking. */
    private Future<A2aAnswer> follow(
            A2aRequest call, Rpc rpc, String taskId, Protocol protocol, Admission.Admitted reader) {
        return messages.send(call, protocol)
                .compose(answer -> Rpc.isUnknownMethod(answer) && reader.route().delivery() != Delivery.POLL
                        ? following
                                .follow(reader, rpc, taskId, protocol, call.body())
                                .otherwise(answer)
                        : Future.succeededFuture(answer));
    }

    /** The agent is asked; where it is away or has forgotten the task, the journal answers. */
    private Future<A2aAnswer> get(A2aRequest call, Rpc rpc, String taskId, Protocol protocol) {
        return messages.send(call, protocol)
                .transform(answered -> answered.succeeded() && !forgotten(answered.result())
                        ? Future.succeededFuture(answered.result())
                        : admission
                                .reader(call)
                                .compose(reader -> known(reader, taskId))
                                .otherwise(Optional.empty())
                                .compose(seen -> fromJournal(seen, protocol)
                                        .<Future<A2aAnswer>>map(
                                                task -> Future.succeededFuture(Rpc.answer(rpc.id(), "result", task)))
                                        .orElseGet(() -> answered.succeeded()
                                                ? Future.succeededFuture(answered.result())
                                                : Future.failedFuture(answered.cause()))));
    }

    /** The agent's own, where it keeps one and is there. */
    private Future<A2aAnswer> list(A2aRequest call, Rpc rpc) {
        return admission.reader(call).compose(reader -> {
            var asked = reader.route().delivery() == Delivery.POLL
                    ? Future.<A2aAnswer>failedFuture("it would fetch the question as a message")
                    : messages.send(call, Protocol.V1_0);
            return asked.transform(answered -> answered.succeeded() && !Rpc.isUnknownMethod(answered.result())
                    ? Future.succeededFuture(answered.result())
                    : lists.answer(reader, rpc, call.body()));
        });
    }

    private Future<A2aAnswer> cancel(A2aRequest call, Protocol protocol) {
        return admission
                .admit(call)
                .compose(admitted -> messages.send(call, protocol).onSuccess(answer -> {
                    if (answer instanceof A2aAnswer.Whole whole) {
                        protocol.sight(whole.body().getBytes())
                                .filter(end -> end.state() == TaskState.CANCELED)
                                .ifPresent(end -> note(admitted.target(), end));
                    }
                }));
    }

    private void note(UUID target, Sighting end) {
        streams.canceled(target, end)
                .onFailure(lost -> LOGGER.atWarn()
                        .setCause(lost)
                        .addKeyValue("workspaceId", target)
                        .log("a cancel is not noted, its streams end when the agent ends them"));
    }

    private Future<Optional<StreamHead>> known(Admission.Admitted reader, String taskId) {
        return Future.all(streams.ofTask(reader.target(), taskId), isOfAnother(reader, taskId, null))
                .map(both -> {
                    Optional<StreamHead> found = both.resultAt(0);
                    boolean anothers = both.resultAt(1);
                    if (anothers
                            || (found.isPresent()
                                    && !found.get().mayBeReadBy(reader.sender().workspaceId()))) {
                        throw ApiError.notFound("task not found");
                    }
                    return found;
                });
    }

    private static Optional<String> fromJournal(Optional<StreamHead> seen) {
        return seen.flatMap(StreamHead::taskJson);
    }

    private static Optional<String> fromJournal(Optional<StreamHead> seen, Protocol reader) {
        boolean same = seen.isPresent() && seen.get().origin().protocol() == reader;
        return fromJournal(seen).map(task -> same ? task : Bridge.task(task, reader));
    }

    private static boolean forgotten(A2aAnswer answer) {
        return answer instanceof A2aAnswer.Whole whole
                && Rpc.isTaskNotFound(whole.body().getBytes());
    }
}
