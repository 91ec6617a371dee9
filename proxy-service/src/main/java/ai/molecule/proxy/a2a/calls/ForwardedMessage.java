package ai.molecule.proxy.a2a.calls;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.registry.ResolveRoute.Route;
import ai.molecule.common.tracing.TraceHeaders;
import ai.molecule.proxy.a2a.admission.Admission;
import ai.molecule.proxy.passports.PassportBook;
import ai.molecule.proxy.protocol.Protocol;
import ai.molecule.proxy.streams.StreamHead.Origin;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One message on its way to one agent. The sender waits a while; the call goes on without it, and whatever comes back is
 * recorded. An agent that says the message was not meant for it (421) has not run it, so the address is asked for anew, once.
 */
final class ForwardedMessage implements InFlightCall {

    static final String SUPERSEDED = "another replica goes on with this";

    /** A pause or a restart is several changes in a row, each of which the agent may hear of first. */
    private static final int PROVEN_ANEW_MAX = 3;

    private final CallParts parts;
    private final MessageExchange exchange;
    private final Map<String, String> headers;
    private final CallPolicy policy;
    private final Promise<A2aAnswer> sender = Promise.promise();
    private AgentCall current;
    private boolean provisioned;

    ForwardedMessage(
            CallParts parts, MessageExchange exchange, Map<String, String> headers, Route route, CallPolicy policy) {
        this.parts = parts;
        this.exchange = exchange;
        this.headers = headers;
        this.policy = policy;
        this.current = dial(route);
    }

    /** Starts, and answers within {@code wait}. */
    Future<A2aAnswer> answerWithin(Duration wait) {
        long timer = parts.vertx().setTimer(wait.toMillis(), late -> leave());
        parts.inFlight().add(this);
        parts.records().began(exchange, headers);
        follow(current, 0);
        return sender.future().onComplete(done -> parts.vertx().cancelTimer(timer));
    }

    MessageExchange exchange() {
        return exchange;
    }

    @Override
    public UUID target() {
        return exchange.target();
    }

    @Override
    public @Nullable String messageId() {
        return exchange.envelope().messageId();
    }

    @Override
    public @Nullable String taskId() {
        return null;
    }

    @Override
    public boolean awaited() {
        boolean carried = policy.remembered() || exchange.rowId() != null;
        return !current.sent() || !carried && !sender.future().isComplete();
    }

    @Override
    public Future<Void> letGo(String taskId) {
        String messageId = exchange.envelope().messageId();
        var kept = policy.remembered() || messageId == null
                ? Future.<Void>succeededFuture()
                : parts.records().watch().keep(deferred(), messageId, taskId);
        return kept.onSuccess(done -> {
            parts.records().waits(exchange, taskId);
            current.letGo();
        });
    }

    private DeferredMessage deferred() {
        Map<String, String> trace = new HashMap<>(headers);
        trace.keySet().removeIf(name -> !TraceHeaders.isOne(name) && !name.equals(PassportBook.HEADER));
        return new DeferredMessage(
                parts.records().idOf(exchange),
                exchange.target(),
                exchange.sender().workspaceId(),
                exchange.envelope().bytes(),
                trace);
    }

    /** Gives the call up. */
    void stop() {
        current.stop();
    }

    private AgentCall dial(Route route) {
        provisioned = route.provisioned();
        return AgentCall.start(
                parts,
                parts.limits().upstream(),
                route,
                headers,
                exchange.envelope().bytes(),
                policy.beforeSending());
    }

    private void leave() {
        if (!current.abandon()) {
            sender.tryFail(Unreachable.stillWorking());
        }
    }

    private void follow(AgentCall call, int again) {
        call.answer().onSuccess(answer -> arrived(answer, again)).onFailure(failure -> notAnswered(failure, again));
    }

    /** Who was put to sleep in the moment in which it was dialled got nothing, and is woken for it. */
    private void notAnswered(Throwable failure, int again) {
        boolean nothingSent =
                failure instanceof AgentFailure refused && refused.kind() == AgentFailure.Kind.REFUSED && provisioned;
        if (!nothingSent || again > 0 || sender.future().isComplete()) {
            failed(failure);
            return;
        }
        parts.routes().drop(exchange.target());
        parts.routes().resolve(exchange.target(), null).onComplete(looked -> {
            if (looked.succeeded() && looked.result().isAsleep()) {
                askAnew(1);
            } else {
                failed(failure);
            }
        });
    }

    /** @param again how often it was sent anew, to somebody who had run nothing */
    private void arrived(AgentAnswer answer, int again) {
        switch (answer) {
            case AgentAnswer.Whole whole when whole.isMisdirected() && again == 0 -> askAnew(1);
            case AgentAnswer.Whole whole
            when whole.isUnauthorized() && again < PROVEN_ANEW_MAX -> proveAnew(whole, again + 1);
            case AgentAnswer.Whole whole
            when whole.isMisdirected() ->
                failed(new AgentFailure(AgentFailure.Kind.MISDIRECTED, whole.status(), whole.durationMs()));
            case AgentAnswer.Whole whole
            when whole.isBusy() ->
                policy.busy().decide(whole).onComplete(decided -> {
                    parts.inFlight().remove(this);
                    if (decided.succeeded()) {
                        sender.tryComplete(decided.result());
                    } else {
                        sender.tryFail(decided.cause());
                    }
                });
            case AgentAnswer.Whole whole -> {
                parts.inFlight().remove(this);
                parts.records().answered(exchange, whole);
                sender.tryComplete(whole.forSender());
            }
            case AgentAnswer.Events events -> stream(events);
        }
    }

    /** Whoever does not believe the token has not run the message either; a change it heard of first asks for another. */
    private void proveAnew(AgentAnswer.Whole refusal, int again) {
        parts.tokens().renewed(headers, current.shown()).onSuccess(another -> {
            if (another) {
                askAnew(again);
            } else {
                arrived(refusal, PROVEN_ANEW_MAX);
            }
        });
    }

    private void askAnew(int again) {
        parts.routes().drop(exchange.target());
        parts.wakeups()
                .reach(exchange.target(), parts.limits().comeBack())
                .map(Admission::withUrl)
                .onSuccess(route -> {
                    current = dial(route);
                    follow(current, again);
                })
                .onFailure(this::failed);
    }

    private void stream(AgentAnswer.Events events) {
        var envelope = exchange.envelope();
        var relay = parts.streams()
                .relay(
                        parts.records().idOf(exchange),
                        new Origin(
                                exchange.target(),
                                exchange.sender().workspaceId(),
                                Protocol.of(headers.get(Protocol.VERSION_HEADER), envelope.method())
                                        .orElse(Protocol.V0_3),
                                envelope.method(),
                                envelope.id(),
                                envelope.bytes(),
                                events.durationMs()),
                        events.response());
        parts.inFlight().streams(this, relay.ended());
        relay.named().onSuccess(seen -> parts.records().known(exchange, seen));
        relay.ended().onSuccess(end -> {
            if (!end.handedOver()) {
                parts.records().streamed(relay.id(), exchange, events.durationMs(), end);
            }
        });
        if (!sender.future().isComplete()) {
            sender.complete(
                    new A2aAnswer.Stream(events.status(), parts.streams().firstReader(relay)));
        }
    }

    private void failed(Throwable cause) {
        parts.inFlight().remove(this);
        if (cause instanceof AgentFailure failure) {
            if (failure.kind() == AgentFailure.Kind.LET_GO) {
                sender.tryFail(Unreachable.letGo());
                return;
            }
            boolean cut = failure.kind() == AgentFailure.Kind.CUT || failure.kind() == AgentFailure.Kind.PACKED;
            if (!(policy.rejoins()
                    && failure.mayBeItsEnd()
                    && messageId() != null
                    && !sender.future().isComplete())) {
                parts.records().unanswered(exchange, failure.kind() != AgentFailure.Kind.REFUSED, reason(failure));
            }
            parts.records().failed(exchange, failure.durationMs(), reason(failure), cut && failure.deliveryConfirmed());
            parts.unreachable().explain(failure, exchange.target(), provisioned).onSuccess(sender::tryFail);
        } else {
            String why = publicText(cause);
            if (!why.equals(SUPERSEDED)) {
                parts.records().unanswered(exchange, false, why);
                parts.records().failed(exchange, 1, why, false);
            }
            sender.tryFail(cause);
        }
    }

    private static String reason(AgentFailure failure) {
        return String.valueOf(failure.getMessage());
    }

    private static String publicText(Throwable cause) {
        return cause instanceof ApiError error ? error.publicMessage() : "internal error";
    }
}
