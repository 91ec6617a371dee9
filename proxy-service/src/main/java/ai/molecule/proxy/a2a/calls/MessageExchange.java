package ai.molecule.proxy.a2a.calls;

import ai.molecule.common.auth.Behalf;
import ai.molecule.proxy.a2a.admission.Admission;
import ai.molecule.proxy.a2a.admission.Sender;
import ai.molecule.proxy.activity.RowIds;
import ai.molecule.proxy.passports.PassportBook;
import ai.molecule.proxy.protocol.MessageEnvelope;
import io.vertx.core.Future;
import java.time.Clock;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One message of one sender to one workspace, for everything that is said about it.
 *
 * @param taskId of the task that the message is to the platform, and of the activity row about its end
 * @param written completes when the sender has the answer to its last byte, fails when it is gone; over for one that does not wait
 * @param rowId of the activity row that tells how it ended, when that may be written more than once; null for any
 * @param behalf on whose it is sent, by the passport that goes along; null where none does
 */
public record MessageExchange(
        UUID target,
        String targetName,
        Sender sender,
        MessageEnvelope envelope,
        UUID taskId,
        Future<Void> written,
        @Nullable UUID rowId,
        @Nullable Behalf behalf) {

    private static final RowIds IDS = new RowIds(Clock.systemUTC(), new Random());

    /** For a sender that waits. */
    public static MessageExchange of(Admission.Admitted admitted, MessageEnvelope envelope, Future<Void> written) {
        return of(admitted, envelope, written, null);
    }

    /** For one that does not. */
    public static MessageExchange of(Admission.Admitted admitted, MessageEnvelope envelope, @Nullable UUID rowId) {
        return of(admitted, envelope, Future.succeededFuture(), rowId);
    }

    private static MessageExchange of(
            Admission.Admitted admitted, MessageEnvelope envelope, Future<Void> written, @Nullable UUID rowId) {
        String name = admitted.route().name();
        return new MessageExchange(
                admitted.target(),
                name.isEmpty() ? admitted.target().toString() : name,
                admitted.sender(),
                envelope,
                rowId == null ? IDS.next() : rowId,
                written,
                rowId,
                null);
    }

    /** The same, on somebody's behalf; what one sends to itself says what it likes. */
    public MessageExchange under(Map<String, String> headers) {
        return sender.self()
                ? this
                : new MessageExchange(
                        target, targetName, sender, envelope, taskId, written, rowId, PassportBook.behalf(headers));
    }
}
