package ai.molecule.sdk;

import java.util.Optional;

/**
 * Where an agent keeps its workspace token. Implementations may be called from several threads.
 *
 * <pre>{@code
 * Optional<String> token = store.load();
 * }</pre>
 */
public interface TokenStore {

    /** The token, stripped; empty when there is none yet. */
    Optional<String> load();

    /**
     * Keeps a token in place of the one before.
     *
     * @throws IllegalArgumentException when the token is empty or blank
     */
    void save(String token);
}
