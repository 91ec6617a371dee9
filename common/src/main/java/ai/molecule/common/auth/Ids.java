package ai.molecule.common.auth;

import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads workspace ids. {@link UUID#fromString} alone would also take {@code 1-1-1-1-1}. */
public final class Ids {

    private static final Pattern UUID_TEXT =
            Pattern.compile("[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}");

    private Ids() {}

    public static Optional<UUID> find(@Nullable String text) {
        return text != null && UUID_TEXT.matcher(text).matches()
                ? Optional.of(UUID.fromString(text))
                : Optional.empty();
    }
}
