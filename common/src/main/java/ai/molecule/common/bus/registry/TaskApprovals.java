package ai.molecule.common.bus.registry;

import ai.molecule.common.bus.Contract;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Pending approvals that name a task, in id order. Called by the proxy, which holds the clocks of such tasks. Reads only.
 *
 * @param after the last id of the page before; null for the first page
 * @param limit at most 1,000
 */
public record TaskApprovals(@Nullable UUID after, int limit) {

    public static final int LIMIT_MAX = 1_000;

    public static final Contract<TaskApprovals, Page> CONTRACT =
            Contract.reading("registry.task-approvals", TaskApprovals.class, Page.class);

    /** @param taskId as the agent names it, at most 256 characters */
    public record One(UUID id, UUID workspaceId, String taskId, Instant createdAt) {}

    /** A page shorter than the limit is the last. */
    public record Page(List<One> approvals) {}
}
