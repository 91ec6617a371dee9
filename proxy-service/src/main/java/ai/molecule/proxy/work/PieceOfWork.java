package ai.molecule.proxy.work;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a person asked for, as it stands.
 *
 * @param askedBy the credential that was shown, as we saw it
 * @param limit in US dollars; null for none
 * @param costMicros of the calls of models that are known to be part of it, in millionths of a dollar; null where none with a price is
 * @param metered false when an agent had a part in it whose programs have a login of their own: what that cost nobody knows
 * @param state {@code needs_you}, {@code working}, {@code done}, {@code stopped} or {@code failed}
 */
record PieceOfWork(
        UUID id,
        UUID to,
        String askedBy,
        String title,
        String brief,
        @Nullable BigDecimal limit,
        @Nullable BigDecimal costMicros,
        boolean metered,
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
            Instant at) {

        /** Whether it was said by or to one of these agents. */
        boolean isOf(Set<UUID> agents) {
            return (speaker != null && agents.contains(speaker)) || (listener != null && agents.contains(listener));
        }
    }

    /** The states that a list may be asked for. */
    static final Set<String> STATES = Set.of("needs_you", "working", "done", "stopped", "failed");

    /** Without its brief. */
    ObjectNode toJson() {
        var body = Json.object()
                .put("id", id.toString())
                .put("title", title)
                .put("to", to.toString())
                .put("state", state)
                .put("limit", limit)
                .put("cost", cost())
                .put("due", Json.timeOrNull(due))
                .put("asked_by", askedBy)
                .put("created_at", Json.time(createdAt))
                .put("ended_at", Json.timeOrNull(endedAt));
        return metered ? body : body.put("metered", false);
    }

    /** Nothing that was metered is not what it cost, where not all of it was. */
    private @Nullable BigDecimal cost() {
        return costMicros == null || (!metered && costMicros.signum() == 0) ? null : dollars(costMicros);
    }

    /** As short as it can be written: 0.5 rather than 0.500000. */
    private static BigDecimal dollars(BigDecimal micros) {
        var dollars = micros.movePointLeft(6).stripTrailingZeros();
        return dollars.scale() < 0 ? dollars.setScale(0) : dollars;
    }
}
