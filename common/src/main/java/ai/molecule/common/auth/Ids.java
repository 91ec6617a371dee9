package ai.molecule.common.auth;

import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads workspace ids. {@link UUID#fromString} alone would also take {@code 1-1-1-1-1}. */
public final class Ids {

    private static final int LENGTH = 36;

    private Ids() {}

    public static Optional<UUID> find(@Nullable String text) {
        return text != null && isUuid(text) ? Optional.of(UUID.fromString(text)) : Optional.empty();
    }

    private static boolean isUuid(String text) {
        if (text.length() != LENGTH) {
            return false;
        }
        for (int i = 0; i < LENGTH; i++) {
            char c = text.charAt(i);
            boolean dash = i == 8 || i == 13 || i == 18 || i == 23;
            boolean hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
            if (dash ? c != '-' : !hex) {
                return false;
            }
        }
        return true;
    }
}
