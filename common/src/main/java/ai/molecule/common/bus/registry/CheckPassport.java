package ai.molecule.common.bus.registry;

import ai.molecule.common.auth.Behalf;
import ai.molecule.common.bus.Contract;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a passport is worth now, shown by its audience: whether it is one, and was not revoked since. Called by the proxy for what it carries
 * and at the model door, and by events-service for activity, once in five minutes for the same and after each revocation. Reads only.
 *
 * @param holder whose it must be
 */
public record CheckPassport(UUID holder, String token) {

    public static final Contract<CheckPassport, Checked> CONTRACT =
            Contract.reading("registry.check-passport", CheckPassport.class, Checked.class);

    /** How it stands. */
    public enum Standing {
        HOLDS,
        /** Its time is over. */
        OVER,
        REVOKED,
        /** It is no passport of this platform, or another workspace's. */
        NONE
    }

    /**
     * @param id its {@code jti}; null for none
     * @param principal on whose behalf, as that one is known; null for none
     */
    public record Checked(
            Standing standing, @Nullable UUID id, @Nullable String principal) {

        public static final Checked NONE = new Checked(Standing.NONE, null, null);

        /** Who it speaks for; empty for none. */
        public Optional<Behalf> behalf() {
            return id == null || principal == null ? Optional.empty() : Optional.of(new Behalf(id, principal));
        }
    }

    /** Without the passport. */
    @Override
    public String toString() {
        return "CheckPassport[" + holder + "]";
    }
}
