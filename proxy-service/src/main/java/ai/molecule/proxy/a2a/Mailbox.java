package ai.molecule.proxy.a2a;

import ai.molecule.common.auth.Tokens;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.events.AppendActivity;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.HexFormat;
import java.util.List;

/**
 * Delivery to agents that fetch their messages (decision 5): the activity row is the message, so it is committed before the
 * sender is answered. The same message of the same sender is kept once.
 */
final class Mailbox {

    private final Bus bus;
    private final CallRecords records;

    Mailbox(Bus bus, CallRecords records) {
        this.bus = bus;
        this.records = records;
    }

    /** Fails with UNAVAILABLE when the row may not have been written; sending again is safe. */
    Future<A2aAnswer> keep(Exchange exchange) {
        var row = records.queued(exchange, keyOf(exchange));
        return bus.call(AppendActivity.CONTRACT, new AppendActivity(List.of(row)))
                .map(kept -> new A2aAnswer.Whole(200, answer(exchange.envelope())));
    }

    /** A hash, because a sender's messageId may be of any length. The target need not be in it: it is the row's own workspace. */
    private static String keyOf(Exchange exchange) {
        String caller = exchange.sender().isCanvas()
                ? "canvas"
                : String.valueOf(exchange.sender().workspaceId());
        String messageId = exchange.envelope().messageId();
        String subject = messageId == null ? "id " + exchange.envelope().id() : "message " + messageId;
        return "a2a-" + HexFormat.of().formatHex(Tokens.hash(caller + " " + subject));
    }

    private static Buffer answer(Envelope envelope) {
        return Buffer.buffer("{\"jsonrpc\":\"2.0\",\"id\":" + envelope.id()
                + ",\"result\":{\"status\":\"queued\",\"delivery_mode\":\"poll\"}}");
    }
}
