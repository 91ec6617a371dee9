package ai.molecule.proxy.a2a;

import ai.molecule.common.tracing.TraceHeaders;
import ai.molecule.common.workspaces.Delivery;
import ai.molecule.proxy.activity.ActivityWriter;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The rules of sending a message to an agent. Knows no routes and no SQL. */
final class A2aService {

    private final Admission admission;
    private final ActivityWriter activity;
    private final Mailbox mailbox;
    private final Forwarding forwarding;
    private final Replies replies;
    private final BusyQueue queue;
    private final TaskWatch watch;
    private final Supplier<UUID> ids;

    A2aService(
            Admission admission,
            ActivityWriter activity,
            Mailbox mailbox,
            Forwarding forwarding,
            Replies replies,
            BusyQueue queue,
            TaskWatch watch,
            Supplier<UUID> ids) {
        this.admission = admission;
        this.activity = activity;
        this.mailbox = mailbox;
        this.forwarding = forwarding;
        this.replies = replies;
        this.queue = queue;
        this.watch = watch;
        this.ids = ids;
    }

    /** Fails with an {@link ai.molecule.common.ApiError} of the status table in docs/wire/proxy.md. */
    Future<A2aAnswer> send(A2aCall call) {
        return admission.admit(call).compose(admitted -> {
            var written = Envelope.normalise(call.body(), ids);
            var headers = traced(call.passedOn(), admitted);
            var wait = waitOf(
                    call.timeout(), admitted.sender()); // of the call itself nothing is kept while the agent works
            var place = call.place();
            return addressed(admitted, written).compose(envelope -> {
                var exchange = Exchange.of(admitted, envelope, call.written());
                return heard(exchange).compose(answers -> {
                    if (admitted.sender().paused() && !answers) {
                        throw Admission.paused();
                    }
                    return admitted.route().delivery() == Delivery.POLL
                            ? mailbox.keep(exchange)
                            : activity.pressure().room().compose(room -> {
                                place.run();
                                return forward(headers, wait, admitted, exchange);
                            });
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
        traced.put(
                TraceHeaders.PARENT,
                "00-%s-%s-00".formatted(hex(ids.get()), hex(ids.get()).substring(16)));
        return traced;
    }

    private static String hex(UUID id) {
        return id.toString().replace("-", "");
    }

    /** A person's words in a context where one task waits for some are for that task, unless they say for which. */
    private Future<Envelope> addressed(Admission.Admitted admitted, Envelope envelope) {
        String context = envelope.contextId();
        return context == null
                        || envelope.taskId() != null
                        || !admitted.sender().isCanvas()
                ? Future.succeededFuture(envelope)
                : watch.waitingIn(admitted.target(), context)
                        .map(task -> task.map(envelope::goingOnWith).orElse(envelope));
    }

    /** A message of an agent that fetches its own may be the answer to one of them. */
    private Future<Boolean> heard(Exchange exchange) {
        var from = exchange.sender().workspaceId();
        if (from == null || exchange.sender().self()) {
            return Future.succeededFuture(false);
        }
        return forwarding
                .routes()
                .resolve(from, null)
                .compose(route -> route.delivery() == Delivery.POLL
                        ? replies.heard(
                                from, exchange.target(), exchange.envelope().bytes())
                        : Future.succeededFuture(false));
    }

    /** Gives up every call still at its agent; each is recorded. */
    void stop() {
        forwarding.records().stop();
        forwarding.underway().stop();
    }

    /** As {@link Underway#arrived}. */
    Runnable arrived(byte[] body) {
        return forwarding.underway().arrived(body);
    }

    /** Whether a message can be taken at all now; throws UNAVAILABLE if not. */
    void requireRoom() {
        forwarding.underway().requireRoom();
    }

    private Future<A2aAnswer> forward(
            Map<String, String> passedOn, Duration wait, Admission.Admitted admitted, Exchange exchange) {
        forwarding.underway().requireRoom(exchange);
        var manner = new Manner(Future::succeededFuture, false, answer -> queued(passedOn, exchange, answer));
        return new Forward(forwarding, exchange, AgentHeaders.of(passedOn, admitted), admitted.route(), manner)
                .answerWithin(wait);
    }

    /** The agent was too busy and has run nothing, so the message may wait. Its activity row is written when it leaves the queue. */
    private Future<A2aAnswer> queued(Map<String, String> passedOn, Exchange exchange, AgentAnswer.Whole answer) {
        var envelope = exchange.envelope();
        var parcel = new Parcel(null, exchange.target(), exchange.sender().workspaceId(), envelope.bytes(), passedOn);
        return queue.keep(parcel, envelope.method(), envelope.messageId())
                .map(BusyAnswer::of)
                .onFailure(full -> forwarding.records().answered(exchange, answer));
    }

    private Duration waitOf(@Nullable String asked, Sender sender) {
        var limits = forwarding.limits();
        Duration wait = sender.self() ? limits.selfWait() : limits.callerWait();
        if (asked == null || !asked.matches("\\d{1,9}") || Integer.parseInt(asked) == 0) {
            return wait;
        }
        Duration timeout = Duration.ofSeconds(Integer.parseInt(asked));
        return timeout.compareTo(limits.callerWaitMax()) > 0 ? limits.callerWaitMax() : timeout;
    }
}
