package ai.molecule.common.bus.registry;

import ai.molecule.common.bus.Contract;
import org.jspecify.annotations.Nullable;

/** Opens what {@link SealSecret} sealed for that place. Reads only. */
public record OpenSecret(String place, String text) {

    public static final Contract<OpenSecret, Value> CONTRACT =
            Contract.reading("registry.open-secret", OpenSecret.class, Value.class);

    /** @param value null where its key is not known, or it is another place's */
    public record Value(@Nullable String value) {

        @Override
        public String toString() {
            return "Value[]"; // a secret never reaches a log
        }
    }
}
