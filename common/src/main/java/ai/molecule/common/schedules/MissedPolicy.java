package ai.molecule.common.schedules;

/** What becomes of ticks that nobody was there for. */
public enum MissedPolicy {
    /** None of them is made up for. */
    SKIP,
    /** The last one of them is. */
    ONCE,
    /** Each of them is, in order. */
    ALL
}
