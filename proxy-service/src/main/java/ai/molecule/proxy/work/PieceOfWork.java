package ai.molecule.proxy.work;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a person asked for, as it stands.
 *
 * @param askedBy the credential that was shown, as we saw it
 * @param limit in US dollars; null for none
 * @param state {@code needs_you}, {@code working}, {@code done} or {@code failed}
 */
record PieceOfWork(
        UUID id,
        UUID to,
        String askedBy,
        String title,
        String brief,
        @Nullable BigDecimal limit,
        @Nullable Instant due,
        String state,
        Instant createdAt,
        @Nullable Instant endedAt) {

    /**
     * What was said in one of its tasks.
     *
     * @param speaker null for a person, like {@code listener}
     * @param files JSON text of an array; null when there are none
     */
    record Said(
            UUID task,
            boolean answer,
            @Nullable UUID speaker,
            @Nullable UUID listener,
            String words,
            @Nullable String files,
            Instant at) {}

    /** Without its brief. The cost is null: nobody tells of that yet. */
    ObjectNode toJson() {
        return Json.object()
                .put("id", id.toString())
                .put("title", title)
                .put("to", to.toString())
                .put("state", state)
                .put("limit", limit)
                .putNull("cost")
                .put("due", Json.timeOrNull(due))
                .put("asked_by", askedBy)
                .put("created_at", Json.time(createdAt))
                .put("ended_at", Json.timeOrNull(endedAt));
    }
}
