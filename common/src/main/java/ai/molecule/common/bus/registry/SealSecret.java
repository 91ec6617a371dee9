package ai.molecule.common.bus.registry;

import ai.molecule.common.bus.Contract;

/**
 * Seals what a service keeps in a row of its own, of which there may be many: the registry alone has the key. Called before the row is written;
 * changes nothing, so it may be repeated.
 *
 * @param place the row, such as {@code push_configs/<id>}: what is sealed for it opens for no other one
 */
public record SealSecret(String place, String value) {

    public static final Contract<SealSecret, Sealed> CONTRACT =
            Contract.of("registry.seal-secret", SealSecret.class, Sealed.class);

    /**
     * @param text {@code <version>:<key>:<Base64>}
     * @param key what {@code text} begins with while the present key seals, to find what an older one did
     */
    public record Sealed(String text, String key) {}

    @Override
    public String toString() {
        return "SealSecret[" + place + "]"; // a secret never reaches a log
    }
}
