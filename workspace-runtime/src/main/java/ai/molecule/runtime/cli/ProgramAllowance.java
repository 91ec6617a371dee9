package ai.molecule.runtime.cli;

/**
 * What a program that an agent starts may do, and what it is given for it.
 *
 * @param tier 1 to 4
 * @param memoryBytes of one process; {@link Long#MAX_VALUE} where nobody holds it
 */
record ProgramAllowance(Permission permission, int tier, long memoryBytes) {

    /** From here on an agent's commands run without namespaces too, where the system allows none. */
    static final int TIER_OF_TRUST = 3;

    /** Of a machine that holds nobody back. */
    ProgramAllowance(Permission permission) {
        this(permission, TIER_OF_TRUST, Long.MAX_VALUE);
    }
}
