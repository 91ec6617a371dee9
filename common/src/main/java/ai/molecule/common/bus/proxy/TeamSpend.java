package ai.molecule.common.bus.proxy;

import ai.molecule.common.bus.Contract;
import java.time.LocalDate;
import java.util.List;
import java.util.UUID;

/**
 * What teams, inner nodes of the org chart with all below them, spent at the model door in a period. Called by the registry, which tells
 * when a team's limit is nearly or wholly spent. Reads only.
 *
 * @param teams at most 1,000
 */
public record TeamSpend(List<Team> teams) {

    public static final Contract<TeamSpend, Spent> CONTRACT =
            Contract.reading("proxy.team-spend", TeamSpend.class, Spent.class);

    /**
     * @param kind {@code month}, {@code day} or {@code all}
     * @param period the first day of it, UTC; the epoch's of {@code all}
     */
    public record Team(UUID id, String kind, LocalDate period) {}

    /**
     * Amounts are millionths of a dollar.
     *
     * @param refused what was last asked for and was more than was left; 0 when that never was
     */
    public record One(UUID id, long spent, long refused) {}

    /** Those that spent anything, or were refused. */
    public record Spent(List<One> teams) {}
}
