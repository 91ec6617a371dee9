package ai.molecule.common.bus.registry;

import ai.molecule.common.bus.Contract;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What the platform shows an agent when it carries a message there: a pair token, signed, for one caller and one target. Called by the
 * proxy once for a caller and a target in half a minute, never per message. Fails with FORBIDDEN where the two may not talk, NOT_FOUND for
 * unknown ones, and UNAVAILABLE while there is no key.
 *
 * @param caller null for the person at the canvas and for the platform itself
 */
public record IssuePairToken(UUID target, @Nullable UUID caller) {

    public static final Contract<IssuePairToken, Issued> CONTRACT =
            Contract.of("registry.issue-pair-token", IssuePairToken.class, Issued.class);

    /** The token, and until when it holds. */
    public record Issued(String token, Instant expiresAt) {

        @Override
        public String toString() {
            return "Issued[]"; // a token never reaches a log
        }
    }
}
