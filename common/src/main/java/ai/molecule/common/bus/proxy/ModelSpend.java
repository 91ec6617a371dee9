package ai.molecule.common.bus.proxy;

import ai.molecule.common.bus.Contract;
import java.time.LocalDate;
import java.util.List;
import java.util.UUID;

/**
 * What workspaces spent in a month at the model door. Called by the registry, which tells when a budget is nearly or wholly spent. Reads only.
 *
 * @param workspaceIds at most 1,000
 * @param month the first day of it, UTC
 */
public record ModelSpend(List<UUID> workspaceIds, LocalDate month) {

    public static final int WORKSPACES_MAX = 1_000;

    public static final Contract<ModelSpend, Spent> CONTRACT =
            Contract.reading("proxy.model-spend", ModelSpend.class, Spent.class);

    /**
     * @param cents whole US cents
     * @param micros the same in millionths of a dollar; 0 where a proxy of an earlier release answers
     * @param refused what was last asked for and was more than was left, in millionths of a dollar; 0 when that never was
     */
    public record One(UUID workspaceId, long cents, long micros, long refused) {

        /** All of it, whichever release's proxy says so. */
        public long spentMicros() {
            return Math.max(micros, cents * 10_000);
        }
    }

    /** Those that spent anything, or were refused. */
    public record Spent(List<One> workspaces) {}
}
