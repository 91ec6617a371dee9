package ai.molecule.common.config;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** {@code MOLECULE_ENV}. {@link #UNSET} has neither the development hatch nor production's requirements (decision 19). */
public enum Environment {
    DEVELOPMENT,
    PRODUCTION,
    UNSET;

    /** {@code development} or {@code dev}, {@code production} or {@code prod}, in any case; anything else is {@link #UNSET}. */
    public static Environment of(@Nullable String value) {
        return switch (value == null ? "" : value.trim().toLowerCase(Locale.ROOT)) {
            case "development", "dev" -> DEVELOPMENT;
            case "production", "prod" -> PRODUCTION;
            default -> UNSET;
        };
    }
}
