package ai.molecule.proxy.known;

import ai.molecule.common.json.Json;
import ai.molecule.proxy.protocol.Sighting;
import ai.molecule.proxy.protocol.TaskState;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A task of an agent and its last status.
 *
 * @param callerId whose message began it; null for a person
 * @param status the protocol's {@code status} object as it was told, JSON text
 * @param at when the status came about, to the microsecond
 */
public record KnownTask(
        UUID workspaceId,
        String taskId,
        @Nullable UUID callerId,
        @Nullable String contextId,
        TaskState state,
        String status,
        Instant at) {

    /** What an agent's clock may be behind or before ours; beyond it the status counts from when it was seen. */
    private static final Duration BEHIND_MAX = Duration.ofDays(1);

    private static final Duration BEFORE_MAX = Duration.ofMinutes(5);

    /** Empty where nothing was said of how the task stands. */
    public static Optional<KnownTask> of(UUID workspaceId, @Nullable UUID callerId, Sighting seen, Instant now) {
        var state = seen.state();
        var status = seen.status();
        return state == null || status == null
                ? Optional.empty()
                : Optional.of(new KnownTask(
                        workspaceId, seen.taskId(), callerId, seen.contextId(), state, status, timeOf(status, now)));
    }

    private static Instant timeOf(String status, Instant now) {
        try {
            var said = OffsetDateTime.parse(
                            Json.stored(status).path("timestamp").asText())
                    .toInstant();
            boolean mayBe = said.isAfter(now.minus(BEHIND_MAX)) && said.isBefore(now.plus(BEFORE_MAX));
            return (mayBe ? said : now).truncatedTo(ChronoUnit.MICROS);
        } catch (DateTimeException none) {
            return now.truncatedTo(ChronoUnit.MICROS);
        }
    }
}
