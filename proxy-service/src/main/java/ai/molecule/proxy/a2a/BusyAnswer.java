package ai.molecule.proxy.a2a;

import ai.molecule.common.json.Json;

/** What the sender of a message that waits is told. */
final class BusyAnswer {

    private static final int ACCEPTED = 202;

    private BusyAnswer() {}

    static A2aAnswer of(BusyQueue.Waiting waiting) {
        return new A2aAnswer.Whole(
                ACCEPTED,
                Json.buffer(Json.object()
                        .put("queued", true)
                        .put("queue_id", waiting.id().toString())
                        .put("queue_depth", waiting.depth())
                        .put("message", "workspace agent busy — request queued, will dispatch when capacity available")
                        .put("priority", waiting.priority())
                        .put("expires_at", Json.time(waiting.expiresAt()))));
    }
}
