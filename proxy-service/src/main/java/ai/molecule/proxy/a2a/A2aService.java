package ai.molecule.proxy.a2a;

import ai.molecule.common.workspaces.Delivery;
import ai.molecule.proxy.activity.ActivityBuffer;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;

/** The rules of sending a message to an agent. Knows no routes and no SQL. */
final class A2aService {

    private final Admission admission;
    private final ActivityBuffer activity;
    private final Mailbox mailbox;
    private final Forwarding forwarding;
    private final Supplier<UUID> ids;

    A2aService(
            Admission admission, ActivityBuffer activity, Mailbox mailbox, Forwarding forwarding, Supplier<UUID> ids) {
        this.admission = admission;
        this.activity = activity;
        this.mailbox = mailbox;
        this.forwarding = forwarding;
        this.ids = ids;
    }

    /** Fails with an {@link ai.molecule.common.ApiError} of the status table in docs/wire/proxy.md. */
    Future<A2aAnswer> send(A2aCall call) {
        return admission.admit(call).compose(admitted -> {
            var exchange = Exchange.of(admitted, Envelope.normalise(call.body(), ids));
            return admitted.route().delivery() == Delivery.POLL
                    ? mailbox.keep(exchange)
                    : activity.room().compose(room -> forward(call, admitted, exchange));
        });
    }

    /** Gives up every call still at its agent; each is recorded. */
    void stop() {
        List.copyOf(forwarding.underway()).forEach(Forward::stop);
    }

    private Future<A2aAnswer> forward(A2aCall call, Admission.Admitted admitted, Exchange exchange) {
        return new Forward(forwarding, exchange, headers(call, admitted), admitted.route())
                .answerWithin(waitOf(call, admitted.sender()));
    }

    private static Map<String, String> headers(A2aCall call, Admission.Admitted admitted) {
        Map<String, String> headers = new HashMap<>(call.passedOn());
        headers.put("Content-Type", "application/json");
        headers.put("Accept", "application/json, text/event-stream");
        headers.put("X-Molecule-Target", admitted.target().toString());
        var caller = admitted.sender().workspaceId();
        if (caller != null) {
            headers.put("X-Workspace-ID", caller.toString());
        }
        return headers;
    }

    private Duration waitOf(A2aCall call, Sender sender) {
        var limits = forwarding.limits();
        Duration wait = sender.self() ? limits.selfWait() : limits.callerWait();
        String asked = call.timeout();
        if (asked == null || !asked.matches("\\d{1,9}") || Integer.parseInt(asked) == 0) {
            return wait;
        }
        Duration timeout = Duration.ofSeconds(Integer.parseInt(asked));
        return timeout.compareTo(limits.callerWaitMax()) > 0 ? limits.callerWaitMax() : timeout;
    }
}
