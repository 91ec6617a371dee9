package ai.molecule.common.bus.registry;

import ai.molecule.common.bus.Contract;
import org.jspecify.annotations.Nullable;

/**
 * A secret of the platform's own, such as what proves to a receiver that we speak: the registry seals it, and no agent and no route ever reads
 * it. Called by a service when a person sets or takes back what needs it; the same again changes nothing.
 *
 * @param key the owner's name, a slash and what the owner calls it, such as {@code notifications/<id>}
 * @param value null to forget it
 */
public record KeepSecret(String key, @Nullable String value) {

    public static final Contract<KeepSecret, Kept> CONTRACT =
            Contract.of("registry.keep-secret", KeepSecret.class, Kept.class);

    public record Kept() {}

    @Override
    public String toString() {
        return "KeepSecret[" + key + "]"; // a secret never reaches a log
    }
}
