package ai.molecule.runtime.langchain4j;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * When a model that could not be had is asked again: after a rate limit, a server's error or a refused connection, {@value
 * #RETRIES_MAX} times for one turn, and never once it has begun to speak. The pause is what the endpoint asks for, else 1 s, doubling; up to
 * a quarter is added, so that many agents do not come back at the same moment.
 */
final class ModelRetries {

    static final int RETRIES_MAX = 3;

    /** An endpoint that asks for a longer pause is not asked again. */
    static final Duration PAUSE_MAX = Duration.ofSeconds(60);

    /** Waits; tests do not. */
    @FunctionalInterface
    interface Sleep {
        void during(Duration pause) throws InterruptedException;
    }

    private static final Set<ModelTrouble> PASSES = Set.of(ModelTrouble.RATE_LIMITED, ModelTrouble.MODEL_UNAVAILABLE);
    private static final double JITTER = 0.25;
    private static final int CAUSES_MAX = 10;

    private ModelRetries() {}

    /** @param retry from 1; empty when it is not worth one */
    static Optional<Duration> pauseBefore(int retry, Throwable failure, RandomGenerator random) {
        if (retry > RETRIES_MAX || !PASSES.contains(ModelTrouble.of(failure))) {
            return Optional.empty();
        }
        Duration pause = asked(failure).orElse(Duration.ofSeconds(1L << (retry - 1)));
        if (pause.compareTo(PAUSE_MAX) > 0) {
            return Optional.empty();
        }
        return Optional.of(Duration.ofMillis((long) (pause.toMillis() * (1 + JITTER * random.nextDouble()))));
    }

    private static Optional<Duration> asked(Throwable failure) {
        @Nullable Throwable cause = failure;
        for (int i = 0; cause != null && i < CAUSES_MAX; i++, cause = cause.getCause()) {
            if (cause instanceof EndpointRefusal refusal) {
                return refusal.retryAfter();
            }
        }
        return Optional.empty();
    }
}
