package ai.molecule.common.bus.proxy;

import ai.molecule.common.bus.Contract;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/**
 * What runs between a workspace and others: delegations that have no outcome, and messages whose agent is at them. Called by the registry,
 * which tells what a move would come between. Reads only.
 */
public record RunningWith(UUID workspaceId) {

    /** The most that are told, the oldest of them. */
    public static final int MAX = 500;

    public static final Contract<RunningWith, Running> CONTRACT =
            Contract.reading("proxy.running-with", RunningWith.class, Running.class);

    /**
     * @param kind {@code delegation}, or {@code message} with or without a stream
     * @param preview at most 60 characters
     */
    public record One(UUID id, String kind, UUID sourceId, UUID targetId, String preview, Instant startedAt) {

        /** The other one of the two. */
        public UUID otherThan(UUID workspaceId) {
            return workspaceId.equals(sourceId) ? targetId : sourceId;
        }
    }

    public record Running(List<One> running) {}
}
