package ai.molecule.proxy.a2a.calls;

import ai.molecule.proxy.protocol.MessageEnvelope;
import ai.molecule.proxy.streams.Relay;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A stream of an agent that goes on. */
record InFlightStream(CallParts parts, Relay relay) implements InFlightCall {

    /** How long whoever reads on while a person is asked is left to it; after that they may come back with tasks/resubscribe. */
    private static final Duration READ_ON = Duration.ofSeconds(120);

    @Override
    public UUID target() {
        return relay.origin().workspaceId();
    }

    @Override
    public @Nullable String messageId() {
        var origin = relay.origin();
        return origin.messageId() != null ? origin.messageId() : MessageEnvelope.idIn(origin.request());
    }

    @Override
    public @Nullable String taskId() {
        return relay.taskId();
    }

    @Override
    public boolean awaited() {
        return relay.isReadFor(READ_ON);
    }

    @Override
    public Future<Void> letGo(String taskId) {
        var origin = relay.origin();
        String messageId = messageId();
        return messageId == null
                ? Future.succeededFuture()
                : request()
                        .compose(message -> parts.records()
                                .watch()
                                .keep(
                                        new DeferredMessage(
                                                relay.id(), origin.workspaceId(), origin.callerId(), message, Map.of()),
                                        messageId,
                                        taskId))
                        .onSuccess(kept -> relay.letGo());
    }

    private Future<byte[]> request() {
        byte[] held = relay.origin().request();
        return held.length > 0 ? Future.succeededFuture(held) : parts.streams().request(relay.id());
    }
}
