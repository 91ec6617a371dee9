package ai.molecule.common.bus.proxy;

import ai.molecule.common.bus.Contract;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Which messages agents were at in a moment, of each agent the one it began last. Called by events-service for the org chart of that moment.
 * Reads only. Tasks of no piece of work are kept 7 days.
 */
public record TasksAt(Instant at) {

    /** The most that are told. */
    public static final int MAX = 10_000;

    public static final Contract<TasksAt, Running> CONTRACT =
            Contract.reading("proxy.tasks-at", TasksAt.class, Running.class);

    /**
     * @param callerId null for a person
     * @param preview at most 60 characters
     */
    public record One(
            UUID workspaceId,
            UUID id,
            @Nullable UUID workId,
            @Nullable UUID callerId,
            String preview,
            Instant startedAt) {}

    public record Running(List<One> tasks) {}
}
