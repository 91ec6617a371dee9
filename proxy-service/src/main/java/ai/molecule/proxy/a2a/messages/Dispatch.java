package ai.molecule.proxy.a2a.messages;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.registry.ResolveRoute.Route;
import ai.molecule.common.json.Json;
import ai.molecule.common.workspaces.Delivery;
import ai.molecule.proxy.a2a.admission.Admission;
import ai.molecule.proxy.a2a.admission.Sender;
import ai.molecule.proxy.a2a.calls.A2aAnswer;
import ai.molecule.proxy.a2a.calls.AgentAnswer;
import ai.molecule.proxy.a2a.calls.CallPolicy;
import ai.molecule.proxy.a2a.calls.Calls;
import ai.molecule.proxy.a2a.calls.DeferredMessage;
import ai.molecule.proxy.a2a.calls.MessageExchange;
import ai.molecule.proxy.a2a.calls.TaskWatch;
import ai.molecule.proxy.protocol.MessageEnvelope;
import ai.molecule.proxy.protocol.StreamedAnswer;
import ai.molecule.proxy.protocol.TaskAnswer;
import ai.molecule.proxy.streams.Relay;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes to agents what the platform carries by itself: delegations and what waited for a busy agent. The same rules and records
 * as for a message that somebody waits for, except that the caller was proven when the message was accepted.
 */
public final class Dispatch {

    private static final int OK = 200;
    private static final Duration LOOKUP = Duration.ofSeconds(10);

    private final Admission admission;
    private final Mailbox mailbox;
    private final Calls calls;
    private final Supplier<UUID> ids;

    public Dispatch(Admission admission, Mailbox mailbox, Calls calls, Supplier<UUID> ids) {
        this.admission = admission;
        this.mailbox = mailbox;
        this.calls = calls;
        this.ids = ids;
    }

    /**
     * Sends at most once.
     *
     * @param wait how long an answer is of use
     * @param beforeSending asked when the connection stands; nothing is sent before it completes, nor when it fails
     * @return fails with an {@link ApiError}; {@link Calls#mayHaveArrived} tells whether the agent may have run the message
     */
    public Future<DispatchResult> send(DeferredMessage deferred, Duration wait, Supplier<Future<Void>> beforeSending) {
        return calls.passports()
                .stillHolds(deferred.target(), deferred.headers())
                .compose(holds -> admission.admit(deferred.target(), senderOf(deferred), deferred.body()))
                .compose(admitted -> {
                    var told = InAgentsVersion.of(
                            MessageEnvelope.normalise(deferred.body(), ids), deferred.headers(), admitted, ids);
                    var exchange = MessageExchange.of(admitted, told.envelope(), deferred.rowId())
                            .under(deferred.headers());
                    if (admitted.route().delivery() == Delivery.POLL) {
                        return Future.succeededFuture(new DispatchResult.Kept(mailbox.messageFor(exchange)));
                    }
                    var policy = new CallPolicy(
                            beforeSending,
                            deferred.rowId() == null,
                            false,
                            answer -> Future.succeededFuture(answer.forSender()));
                    return calls.pressure()
                            .room()
                            .compose(room -> {
                                calls.requireRoom(exchange);
                                return calls.forward(exchange, told.headers(), admitted, policy, wait);
                            })
                            .compose(Dispatch::read);
                });
    }

    /** Whether a person took the workspace out of everything; false while nobody can tell. */
    public Future<Boolean> isQuarantined(UUID target) {
        return calls.routes().resolve(target, null).map(Route::quarantined).otherwise(false);
    }

    /** Whether asking it would wake it; false while nobody can tell. */
    public Future<Boolean> isAsleep(UUID target) {
        return calls.routes().resolve(target, null).map(Route::isAsleep).otherwise(false);
    }

    /** Records an answer that was fetched later exactly like one that came at once. */
    public Future<Void> tell(DeferredMessage deferred, byte[] body) {
        return exchange(deferred).map(exchange -> {
            calls.records().answered(exchange, new AgentAnswer.Whole(OK, 1, Buffer.buffer(body)));
            return null;
        });
    }

    /** Records that the platform has stopped trying to deliver a message. */
    public Future<Void> gaveUp(DeferredMessage deferred, String why) {
        return exchange(deferred).map(exchange -> {
            calls.records().gaveUp(exchange, why);
            return null;
        });
    }

    private Future<MessageExchange> exchange(DeferredMessage deferred) {
        return calls.routes().resolve(deferred.target(), null).map(route -> {
            var admitted = new Admission.Admitted(deferred.target(), senderOf(deferred), route);
            return MessageExchange.of(admitted, MessageEnvelope.normalise(deferred.body(), ids), deferred.rowId())
                    .under(deferred.headers());
        });
    }

    private static Sender senderOf(DeferredMessage deferred) {
        var caller = deferred.caller();
        return caller == null ? Sender.CANVAS : new Sender(caller, caller.equals(deferred.target()));
    }

    /** Keeps what an answer that came another way says of its task. */
    public Future<Void> heard(UUID target, @Nullable String messageId, byte[] answer) {
        return calls.records().watch().answered(new TaskWatch.Answered(target, messageId, null, answer));
    }

    /** Asks the agent to cancel what a message became, where it goes on. Whether it does is the agent's to say; never fails. */
    public Future<Void> cancel(UUID target, String messageId) {
        return lookUp(target, messageId)
                .compose(found -> switch (found) {
                    case LookupResult.Working(TaskAnswer task) when task != null -> cancelTask(target, task.taskId());
                    case LookupResult.Asks asks ->
                        cancelTask(target, asks.task().taskId());
                    default -> Future.<Void>succeededFuture();
                })
                .otherwiseEmpty();
    }

    private Future<Void> cancelTask(UUID target, String taskId) {
        return asked(target, "tasks/cancel", Json.object().put("id", taskId)).mapEmpty();
    }

    /** Asks the agent what became of a message. Changes nothing there; never fails. */
    public Future<LookupResult> lookUp(UUID target, String messageId) {
        return asked(target, "molecule/tasks/byMessage", Json.object().put("messageId", messageId))
                .map(answer -> found(target, answer))
                .otherwise(new LookupResult.NotReached());
    }

    private Future<AgentAnswer> asked(UUID target, String method, ObjectNode params) {
        var question = Json.object()
                .put("jsonrpc", "2.0")
                .put("id", ids.get().toString())
                .put("method", method);
        question.set("params", params);
        var headers = Map.of("Content-Type", "application/json", "X-Molecule-Target", target.toString());
        return calls.reach(target)
                .compose(
                        route -> calls.ask(route, headers, Json.buffer(question).getBytes(), LOOKUP));
    }

    private LookupResult found(UUID target, AgentAnswer answer) {
        return switch (answer) {
            case AgentAnswer.Whole whole
            when whole.status() < 300 -> LookupResult.of(whole.body().getBytes());
            case AgentAnswer.Whole whole
            when whole.isMisdirected() -> {
                calls.routes().drop(target);
                yield new LookupResult.NotReached();
            }
            case AgentAnswer.Whole whole when whole.isBusy() || whole.isUnauthorized() -> new LookupResult.NotReached();
            case AgentAnswer.Whole other -> new LookupResult.Unsupported();
            case AgentAnswer.Events events -> {
                events.response().request().reset();
                yield new LookupResult.Unsupported();
            }
        };
    }

    private static Future<DispatchResult> read(A2aAnswer answer) {
        return switch (answer) {
            case A2aAnswer.Whole whole
            when whole.status() < 300 ->
                Future.succeededFuture(new DispatchResult.Answered(whole.body().getBytes()));
            case A2aAnswer.Whole whole when whole.isBusy() -> Future.succeededFuture(new DispatchResult.Busy());
            case A2aAnswer.Whole whole ->
                Future.succeededFuture(new DispatchResult.Refused(whole.status(), errorIn(whole.body())));
            case A2aAnswer.Stream stream -> stream.events().drain().compose(Dispatch::lastOf);
            case A2aAnswer.NoStream none -> throw new IllegalStateException("nobody came back to a stream here");
        };
    }

    private static Future<DispatchResult> lastOf(Relay.End end) {
        String interruption = end.handedOver() ? "the platform stopped" : end.interruption();
        return interruption == null
                ? Future.succeededFuture(new DispatchResult.Answered(StreamedAnswer.whole(end.heard(), end.lastData())))
                : Future.failedFuture(new ApiError(ApiError.Kind.BAD_GATEWAY, interruption, Map.of("delivered", true)));
    }

    private static String errorIn(Buffer body) {
        return Json.stored(body.toString(StandardCharsets.UTF_8)).path("error").asText("agent error");
    }
}
