package ai.molecule.common.bus.registry;

import ai.molecule.common.bus.Contract;
import org.jspecify.annotations.Nullable;

/** Asks for what {@link KeepSecret} keeps. Reads only. */
public record KeptSecret(String key) {

    public static final Contract<KeptSecret, Value> CONTRACT =
            Contract.reading("registry.kept-secret", KeptSecret.class, Value.class);

    /** @param value null where there is none, or it cannot be decrypted */
    public record Value(@Nullable String value) {

        @Override
        public String toString() {
            return "Value[]"; // a secret never reaches a log
        }
    }
}
