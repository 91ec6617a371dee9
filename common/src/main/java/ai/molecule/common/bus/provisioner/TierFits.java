package ai.molecule.common.bus.provisioner;

import ai.molecule.common.bus.Contract;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Whether a tier is large enough for the program that a runtime is. Called by the registry before it makes a workspace of such a runtime, or
 * gives one another tier or runtime. Without an answer the start says it. Reads only.
 *
 * @param template whose config may name a program of its own, of which nothing is known; null for none
 * @param workspaceId the same, of an agent that is there already
 */
public record TierFits(
        String runtime,
        int tier,
        @Nullable String template,
        @Nullable UUID workspaceId) {

    public static final Contract<TierFits, Answer> CONTRACT =
            Contract.reading("provisioner.tier-fits", TierFits.class, Answer.class);

    /** @param refusal why it is too small, and what to do about it; null when it fits */
    public record Answer(@Nullable String refusal) {}
}
