package ai.molecule.common.config;

import java.time.Duration;

/**
 * How long, and how many, may be connected without a request under way: what sends nothing or half a head costs memory too.
 *
 * @param first {@code MOLECULE_FIRST_REQUEST_SECONDS}: from connecting to a whole request head
 * @param idle {@code MOLECULE_IDLE_SECONDS}: from an answer to the next whole head; longer than clients keep connections for themselves
 * @param idleMax {@code MOLECULE_IDLE_CONNECTIONS}: such connections per address, beyond which the one that waits longest is closed
 */
public record ConnectionLimits(Duration first, Duration idle, int idleMax) {

    static ConnectionLimits fromEnv(Env env) {
        return new ConnectionLimits(
                env.seconds("MOLECULE_FIRST_REQUEST_SECONDS", 30), env.seconds("MOLECULE_IDLE_SECONDS", 120), (int)
                        env.integer("MOLECULE_IDLE_CONNECTIONS", 1_000, 1, 100_000));
    }
}
