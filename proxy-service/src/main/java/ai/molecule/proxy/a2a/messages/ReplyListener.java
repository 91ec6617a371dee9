package ai.molecule.proxy.a2a.messages;

import io.vertx.core.Future;
import java.util.UUID;

/** Hears what agents that fetch their messages send to others, because it may answer what they were asked (decision 5). */
@FunctionalInterface
public interface ReplyListener {

    /**
     * @param envelope the JSON-RPC request as its target gets it
     * @return whether it answered something, now or when it was sent before; when it fails the message is not sent, and may be sent again
     */
    Future<Boolean> heard(UUID from, UUID to, byte[] envelope);
}
