package ai.molecule.provisioner.containers;

import ai.molecule.common.config.Env;
import java.util.List;

/**
 * What a workspace of a tier may use (decision 20). Tier 1 besides cannot write to its image.
 *
 * @param number 1 to 4
 * @param memoryMb {@code TIERn_MEMORY_MB}, swap included
 * @param cpuShares {@code TIERn_CPU_SHARES}: 1024 is one processor
 * @param pids processes and threads together
 */
public record Tier(int number, long memoryMb, long cpuShares, int pids) {

    /** Of the contract (registry contract, 12), tier 1 bounded like tier 2. */
    private static final List<Tier> STANDARD = List.of(
            new Tier(1, 512, 1024, 256),
            new Tier(2, 512, 1024, 256),
            new Tier(3, 2048, 2048, 512),
            new Tier(4, 4096, 4096, 1024));

    public static List<Tier> fromEnv(Env env) {
        return STANDARD.stream()
                .map(tier -> new Tier(
                        tier.number,
                        env.integer("TIER%d_MEMORY_MB".formatted(tier.number), tier.memoryMb, 64, 1 << 20),
                        env.integer("TIER%d_CPU_SHARES".formatted(tier.number), tier.cpuShares, 16, 1 << 20),
                        tier.pids))
                .toList();
    }

    /** An unknown tier counts as the second. */
    public static Tier of(List<Tier> tiers, int number) {
        return tiers.get(number >= 1 && number <= tiers.size() ? number - 1 : 1);
    }

    /** Where the contract wants more than a container is given, and only a person may allow it. */
    public boolean wantsPrivileges() {
        return number >= 3;
    }

    public boolean wantsHostNetwork() {
        return number >= 4;
    }

    public long memoryBytes() {
        return memoryMb << 20;
    }

    /** For the JVM of our own runtime: a quarter, as its image says too; the rest is for what its heap does not hold and the programs it starts. */
    public long heapMb() {
        return memoryMb / 4;
    }

    /** Whole ones, for programs that count them. */
    public int processors() {
        return (int) Math.max(1, (cpuShares + 1023) / 1024);
    }

    public long nanoCpus() {
        return cpuShares * 1_000_000_000L / 1024;
    }
}
