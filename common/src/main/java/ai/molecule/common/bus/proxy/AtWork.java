package ai.molecule.common.bus.proxy;

import ai.molecule.common.bus.Contract;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What agents are at, as far as the proxy has it: messages and streams at them, what they handed on, what waits for them, and when the clock
 * has something for them. Called by the registry before it puts one to sleep. Reads only.
 *
 * @param workspaceIds at most 500
 * @param aheadSeconds how soon a schedule's tick counts as work
 */
public record AtWork(List<UUID> workspaceIds, int aheadSeconds) {

    public static final int WORKSPACES_MAX = 500;

    public static final Contract<AtWork, Answer> CONTRACT =
            Contract.reading("proxy.at-work", AtWork.class, Answer.class);

    /**
     * @param why what keeps it awake, in words; null: nothing does
     * @param lastAt when it last began or ended something; null: not that anybody knew
     */
    public record One(
            UUID workspaceId,
            @Nullable String why,
            @Nullable Instant lastAt) {}

    /** One of each that was asked about. */
    public record Answer(List<One> workspaces) {}
}
