package ai.molecule.proxy.a2a.messages;

import ai.molecule.common.tracing.TraceHeaders;
import ai.molecule.common.workspaces.Delivery;
import ai.molecule.proxy.a2a.admission.A2aRequest;
import ai.molecule.proxy.a2a.admission.Admission;
import ai.molecule.proxy.a2a.admission.Sender;
import ai.molecule.proxy.a2a.calls.A2aAnswer;
import ai.molecule.proxy.a2a.calls.AgentAnswer;
import ai.molecule.proxy.a2a.calls.CallPolicy;
import ai.molecule.proxy.a2a.calls.Calls;
import ai.molecule.proxy.a2a.calls.DeferredMessage;
import ai.molecule.proxy.a2a.calls.MessageExchange;
import ai.molecule.proxy.a2a.calls.TaskWatch;
import ai.molecule.proxy.bridge.Bridge;
import ai.molecule.proxy.protocol.MessageEnvelope;
import ai.molecule.proxy.protocol.Protocol;
import ai.molecule.proxy.streams.EventText;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;

/** The rules of sending a message to an agent. Knows no routes and no SQL. */
public final class MessageService {

    private static final int OK = 200;

    private final Admission admission;
    private final Mailbox mailbox;
    private final Calls calls;
    private final ReplyListener replies;
    private final BusyQueue queue;
    private final TaskWatch watch;
    private final Rejoining rejoining;
    private final AgentCards cards;
    private final Supplier<UUID> ids;

    public MessageService(
            Admission admission,
            Mailbox mailbox,
            Calls calls,
            ReplyListener replies,
            BusyQueue queue,
            TaskWatch watch,
            Rejoining rejoining,
            AgentCards cards,
            Supplier<UUID> ids) {
        this.admission = admission;
        this.mailbox = mailbox;
        this.calls = calls;
        this.replies = replies;
        this.queue = queue;
        this.watch = watch;
        this.rejoining = rejoining;
        this.cards = cards;
        this.ids = ids;
    }

    /**
     * Answers in the version of the caller, but for the events of a stream, which are told when they are read.
     *
     * @param spoken the version of the request
     * @return fails with an {@link ai.molecule.common.ApiError} of the status table in docs/wire/proxy.md
     */
    public Future<A2aAnswer> send(A2aRequest call, Protocol spoken) {
        return admission
                .admit(call)
                .compose(admitted -> cards.versionFor(admitted, spoken).compose(agents -> {
                    var written = MessageEnvelope.normalise(call.body(), ids);
                    return agents == spoken
                            ? send(call, admitted, written, call.passedOn())
                            : bridged(call, admitted, written, spoken);
                }));
    }

    private Future<A2aAnswer> bridged(
            A2aRequest call, Admission.Admitted admitted, MessageEnvelope written, Protocol spoken) {
        return switch (Bridge.of(written.bytes(), call.passedOn(), spoken, admitted.target())) {
            case Bridge.Crossing.Refused refused ->
                Future.succeededFuture(told(
                        Buffer.buffer(refused.refusal().error()),
                        refused.refusal().event()));
            case Bridge.Crossing.Made made -> {
                var bridge = made.bridge();
                yield send(call, admitted, MessageEnvelope.normalise(bridge.request(), ids), bridge.headers())
                        .map(answer -> answer instanceof A2aAnswer.Whole whole && whole.status() == OK
                                ? told(Buffer.buffer(bridge.answer(whole.body().getBytes())), bridge.wantsEvents())
                                : answer);
            }
        };
    }

    private static A2aAnswer told(Buffer answer, boolean event) {
        return event
                ? new A2aAnswer.NoStream(EventText.ofData(answer.toString()).toString())
                : new A2aAnswer.Whole(OK, answer);
    }

    private Future<A2aAnswer> send(
            A2aRequest call, Admission.Admitted admitted, MessageEnvelope written, Map<String, String> passedOn) {
        var sender = admitted.sender();
        return calls.passports()
                .carried(admitted.target(), sender.workspaceId(), sender.who(), traced(passedOn, admitted))
                .compose(headers -> send(headers, call, admitted, written));
    }

    private Future<A2aAnswer> send(
            Map<String, String> headers, A2aRequest call, Admission.Admitted admitted, MessageEnvelope written) {
        var wait = waitOf(call.asked(), admitted.sender()); // of the call itself nothing is kept while the agent works
        var place = call.place();
        return addressed(admitted, written).compose(envelope -> {
            var exchange =
                    MessageExchange.of(admitted, envelope, call.written()).under(headers);
            return heard(exchange).compose(answers -> {
                if (admitted.sender().paused() && !answers) {
                    throw Admission.paused();
                }
                return admitted.route().delivery() == Delivery.POLL
                        ? mailbox.keep(exchange)
                        : calls.pressure().room().compose(room -> {
                            place.run();
                            return forward(headers, wait, admitted, exchange);
                        });
            });
        });
    }

    /** What agents do for a person is told together by its trace, so there is one. */
    private Map<String, String> traced(Map<String, String> passedOn, Admission.Admitted admitted) {
        if (passedOn.containsKey(TraceHeaders.PARENT) || !admitted.sender().isCanvas()) {
            return passedOn;
        }
        Map<String, String> traced = new HashMap<>(passedOn);
        var random = ThreadLocalRandom.current(); // it need be unique, not secret
        traced.put(
                TraceHeaders.PARENT,
                "00-" + hex(random.nextLong()) + hex(random.nextLong() | 1) + "-" + hex(random.nextLong() | 1) + "-00");
        return traced;
    }

    private static String hex(long number) {
        return HexFormat.of().toHexDigits(number);
    }

    /** A person's words in a context where one task waits for some are for that task, unless they say for which. */
    private Future<MessageEnvelope> addressed(Admission.Admitted admitted, MessageEnvelope envelope) {
        String context = envelope.contextId();
        return context == null
                        || envelope.taskId() != null
                        || !admitted.sender().isCanvas()
                ? Future.succeededFuture(envelope)
                : watch.waitingIn(admitted.target(), context)
                        .map(task -> task.map(envelope::goingOnWith).orElse(envelope));
    }

    /** A message of an agent that fetches its own may be the answer to one of them. */
    private Future<Boolean> heard(MessageExchange exchange) {
        var from = exchange.sender().workspaceId();
        if (from == null || exchange.sender().self()) {
            return Future.succeededFuture(false);
        }
        return calls.routes()
                .resolve(from, null)
                .compose(route -> route.delivery() == Delivery.POLL
                        ? replies.heard(
                                from, exchange.target(), exchange.envelope().bytes())
                        : Future.succeededFuture(false));
    }

    private Future<A2aAnswer> forward(
            Map<String, String> passedOn, Duration wait, Admission.Admitted admitted, MessageExchange exchange) {
        calls.requireRoom(exchange);
        var policy = new CallPolicy(Future::succeededFuture, false, true, answer -> queued(passedOn, exchange, answer));
        long begunNanos = System.nanoTime();
        return calls.forward(exchange, passedOn, admitted, policy, wait)
                .recover(failure -> Calls.wasCut(failure) && exchange.envelope().messageId() != null
                        ? rejoining.answer(
                                exchange,
                                admitted.route().provisioned(),
                                failure,
                                wait.minusNanos(System.nanoTime() - begunNanos),
                                (now, left) -> calls.forward(exchange, passedOn, now, policy, left))
                        : Future.failedFuture(failure));
    }

    /** The agent was too busy and has run nothing, so the message may wait. Its activity row is written when it leaves the queue. */
    private Future<A2aAnswer> queued(Map<String, String> passedOn, MessageExchange exchange, AgentAnswer.Whole answer) {
        var envelope = exchange.envelope();
        var deferred = new DeferredMessage(
                null, exchange.target(), exchange.sender().workspaceId(), envelope.bytes(), passedOn);
        return queue.keep(deferred, envelope.method(), envelope.messageId())
                .map(BusyQueue.Waiting::answer)
                .onFailure(full -> calls.records().answered(exchange, answer));
    }

    private Duration waitOf(Optional<Duration> asked, Sender sender) {
        var limits = calls.limits();
        Duration wait = sender.self() ? limits.selfWait() : limits.callerWait();
        return asked.map(timeout -> timeout.compareTo(limits.callerWaitMax()) > 0 ? limits.callerWaitMax() : timeout)
                .orElse(wait);
    }
}
