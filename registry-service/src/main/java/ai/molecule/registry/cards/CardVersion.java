package ai.molecule.registry.cards;

import ai.molecule.common.ApiError;
import org.jspecify.annotations.Nullable;

/** The versions of A2A that a card is written for. */
enum CardVersion {
    V0_3,
    V1_0,
    /** The card of 0.3 with the interfaces of 1.0 beside: clients of both versions ask without saying which they speak. */
    BOTH;

    static final String HEADER = "A2A-Version";

    /** Fails with INVALID for one that no card is written for. */
    static CardVersion of(@Nullable String named) {
        String version = named == null ? "" : named.strip();
        return switch (version) {
            case "" -> BOTH;
            case "0.3", "0.3.0" -> V0_3;
            case "1.0", "1.0.0", "1.0.1" -> V1_0;
            default -> throw ApiError.invalid("A2A-Version must be 0.3 or 1.0");
        };
    }
}
