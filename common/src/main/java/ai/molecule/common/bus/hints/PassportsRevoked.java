package ai.molecule.common.bus.hints;

import ai.molecule.common.bus.Hint;

/** Passports were revoked: what is remembered of any is asked for again. Published before the request that did it is answered. */
public record PassportsRevoked() {

    public static final Hint<PassportsRevoked> HINT = new Hint<>("hint.passports-revoked", PassportsRevoked.class);
}
