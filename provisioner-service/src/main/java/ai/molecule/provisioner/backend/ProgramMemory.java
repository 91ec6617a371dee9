package ai.molecule.provisioner.backend;

import ai.molecule.provisioner.containers.Tier;
import java.util.Map;
import java.util.Optional;

/** How much memory programs of others ask for before they use any: where that is held to the tier, with less they end without a word. */
public final class ProgramMemory {

    /** In megabytes, as the agents' runtime knows it too, which refuses the start. */
    private static final Map<String, Integer> NEEDED_MB = Map.of("claude-code", 1024);

    private ProgramMemory() {}

    /** Why agents of this runtime cannot have that tier; empty when they can. */
    public static Optional<String> refusal(String runtime, Tier tier) {
        String name = Adapters.canonical(runtime);
        int needed = NEEDED_MB.getOrDefault(name, 0);
        return tier.memoryMb() >= needed
                ? Optional.empty()
                : Optional.of(
                        "%s needs %d MB of memory, and tier %d has %d MB here: give it tier 3, or set TIER%d_MEMORY_MB"
                                .formatted(name, needed, tier.number(), tier.memoryMb(), tier.number()));
    }
}
