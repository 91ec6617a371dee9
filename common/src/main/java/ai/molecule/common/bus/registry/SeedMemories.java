package ai.molecule.common.bus.registry;

import ai.molecule.common.bus.Contract;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Gives a workspace memories to start with. Called by the provisioner when it imports an organisation; idempotent by the ids of
 * the seeds, so that a call without an answer is simply made again. Fails with NOT_FOUND for an unknown or removed workspace and
 * INVALID for too many seeds, and then stores none.
 *
 * @param seeds at most 100, stored in this order
 */
public record SeedMemories(UUID workspaceId, List<Seed> seeds) {

    /** A hundred large texts take their time to be indexed. */
    private static final Duration DEADLINE = Duration.ofSeconds(20);

    public static final Contract<SeedMemories, Seeded> CONTRACT =
            new Contract<>("registry.seed-memories", SeedMemories.class, Seeded.class, DEADLINE);

    /**
     * @param id of the memory, chosen by the caller
     * @param content stored with secrets redacted, at most 100000 bytes of it
     * @param scope LOCAL, TEAM or GLOBAL in any case; null means LOCAL. Whether the workspace is a root is not asked
     * @param namespace at most 50 characters; null means {@code workspace:<id of the workspace>}
     */
    public record Seed(
            UUID id,
            @Nullable String content,
            @Nullable String scope,
            @Nullable String namespace) {}

    /** What became of a seed: PRESENT had been stored before, SKIPPED has no content, another scope or too long a namespace. */
    public enum Outcome {
        STORED,
        PRESENT,
        SKIPPED
    }

    /** One outcome per seed, in their order. */
    public record Seeded(List<Outcome> outcomes) {}
}
