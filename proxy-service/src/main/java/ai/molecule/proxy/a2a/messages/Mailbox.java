package ai.molecule.proxy.a2a.messages;

import ai.molecule.common.activity.ActivityRow;
import ai.molecule.common.auth.Tokens;
import ai.molecule.proxy.a2a.calls.A2aAnswer;
import ai.molecule.proxy.a2a.calls.CallRecords;
import ai.molecule.proxy.a2a.calls.MessageExchange;
import ai.molecule.proxy.activity.ActivityWriter;
import ai.molecule.proxy.protocol.MessageEnvelope;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.HexFormat;

/**
 * Delivery to agents that fetch their messages (decision 5): the activity row is the message, so it is committed before the
 * sender is answered. The same message of the same sender is kept once.
 */
public final class Mailbox {

    private final ActivityWriter activity;
    private final CallRecords records;

    public Mailbox(ActivityWriter activity, CallRecords records) {
        this.activity = activity;
        this.records = records;
    }

    /** Fails with UNAVAILABLE when the row may not have been written; sending again is safe. */
    Future<A2aAnswer> keep(MessageExchange exchange) {
        return activity.keep(messageFor(exchange)).map(kept -> new A2aAnswer.Whole(200, answer(exchange.envelope())));
    }

    /** The message, for whoever commits it with what else its sender notes. */
    ActivityRow messageFor(MessageExchange exchange) {
        return records.queued(exchange, keyOf(exchange));
    }

    /** A hash, because a sender's messageId may be of any length. The target need not be in it: it is the row's own workspace. */
    private static String keyOf(MessageExchange exchange) {
        String caller = exchange.sender().isCanvas()
                ? "canvas"
                : String.valueOf(exchange.sender().workspaceId());
        String messageId = exchange.envelope().messageId();
        String subject = messageId == null ? "id " + exchange.envelope().id() : "message " + messageId;
        return "a2a-" + HexFormat.of().formatHex(Tokens.hash(caller + " " + subject));
    }

    private static Buffer answer(MessageEnvelope envelope) {
        return Buffer.buffer("{\"jsonrpc\":\"2.0\",\"id\":" + envelope.id()
                + ",\"result\":{\"status\":\"queued\",\"delivery_mode\":\"poll\"}}");
    }
}
