package ai.molecule.common.schedules;

/** What becomes of a tick while the run before it still goes on. */
public enum OverlapPolicy {
    /** It is left out. */
    SKIP,
    /** It waits for its turn. */
    QUEUE,
    /** The run before it is stopped. */
    REPLACE
}
