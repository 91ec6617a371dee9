package ai.molecule.common.service;

import ai.molecule.common.config.Env;
import java.time.Duration;

/**
 * How long a service takes its leave. Its verticle, its rows and its place in the cluster get up to 8 s more.
 *
 * @param drain {@code MOLECULE_DRAIN_SECONDS}, 0 to 300: not ready any more, but serving, until those who route to it noticed;
 *     5 in production, otherwise 0
 * @param finish {@code MOLECULE_FINISH_SECONDS}, 0 to 300: takes nothing new; for requests under way; 10 in production, otherwise 2
 */
public record StopTimes(Duration drain, Duration finish) {

    private static final int MAX_SECONDS = 300;

    public static StopTimes fromEnv(Env env, boolean production) {
        return new StopTimes(
                Duration.ofSeconds(env.integer("MOLECULE_DRAIN_SECONDS", production ? 5 : 0, 0, MAX_SECONDS)),
                Duration.ofSeconds(env.integer("MOLECULE_FINISH_SECONDS", production ? 10 : 2, 0, MAX_SECONDS)));
    }
}
