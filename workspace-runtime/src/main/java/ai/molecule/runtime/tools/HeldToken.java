package ai.molecule.runtime.tools;

import ai.molecule.sdk.TokenStore;
import java.util.Optional;

/** A token given from outside; it cannot be replaced. */
record HeldToken(String token) implements TokenStore {

    @Override
    public Optional<String> load() {
        return Optional.of(token);
    }

    @Override
    public void save(String fresh) {
        if (!fresh.strip().equals(token)) {
            throw new IllegalArgumentException("this token comes from the environment and cannot be replaced");
        }
    }

    /** Never shows the token. */
    @Override
    public String toString() {
        return "a token from the environment";
    }
}
