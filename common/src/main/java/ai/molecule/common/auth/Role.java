package ai.molecule.common.auth;

import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a person may do, for the organisation or for one branch of it. Each role may all that the one before it may. */
public enum Role {
    /** Looks, and changes nothing. */
    VIEWER,
    /** Asks for work, decides, and changes what agents are. */
    OPERATOR,
    /** Says who the people are, and rules over what concerns the organisation as a whole: its keys, its tokens, its secrets. */
    OWNER;

    /** As requests and tables write it; empty for any other word. */
    public static Optional<Role> find(@Nullable String word) {
        for (var role : values()) {
            if (role.wire().equals(word)) {
                return Optional.of(role);
            }
        }
        return Optional.empty();
    }

    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether whoever has this role may what {@code needed} asks for. */
    public boolean covers(Role needed) {
        return compareTo(needed) >= 0;
    }
}
