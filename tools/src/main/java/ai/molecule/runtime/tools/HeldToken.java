package ai.molecule.runtime.tools;

import ai.molecule.sdk.TokenStore;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Optional;

/** A token given from outside. One that the platform issues in its place is kept as long as the process lives. */
final class HeldToken implements TokenStore {

    private static final Logger LOGGER = System.getLogger(HeldToken.class.getName());

    private volatile String token;

    HeldToken(String token) {
        this.token = token;
    }

    @Override
    public Optional<String> load() {
        return Optional.of(token);
    }

    @Override
    public void save(String fresh) {
        String stripped = fresh.strip();
        if (stripped.isEmpty()) {
            throw new IllegalArgumentException("refusing to save an empty token");
        }
        if (!stripped.equals(token)) {
            token = stripped;
            LOGGER.log(
                    Level.WARNING,
                    "the platform issued another token than the one in the environment; it is lost when this process ends");
        }
    }

    /** Never shows the token. */
    @Override
    public String toString() {
        return "a token from the environment";
    }
}
