package ai.molecule.provisioner.process;

/**
 * What a tier gives an agent (registry contract, 12).
 *
 * @param cpus as many as its JVM counts on; not enforced, there is no group of processes to hold it to them
 * @param memoryMb of data, enforced by {@code prlimit} for each process of the agent; 0 for no limit
 */
record Limits(int cpus, int memoryMb) {

    static Limits ofTier(int tier) {
        return switch (tier) {
            case 1 -> new Limits(1, 0);
            case 3 -> new Limits(2, 2048);
            case 4 -> new Limits(4, 4096);
            default -> new Limits(1, 512);
        };
    }
}
