package ai.molecule.sdk;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;

/**
 * How long to wait after a 429 before asking again: what {@code Retry-After} says in seconds, else 1 s doubling with
 * every attempt and up to a quarter of a second of jitter either way; never more than 30 s.
 */
final class RetryPause {

    /** A GET is repeated at most this often; nothing else is ever repeated. */
    static final int RETRIES_MAX = 3;

    private static final double BASE_SECONDS = 1.0;
    private static final double JITTER_SECONDS = 0.25;
    private static final double CAP_SECONDS = 30.0;

    private RetryPause() {}

    /**
     * @param attempt 1 for the first repetition
     * @param random between 0 and 1
     */
    static Duration before(int attempt, Optional<String> retryAfter, double random) {
        double seconds = retryAfter
                .flatMap(RetryPause::seconds)
                .orElseGet(() -> BASE_SECONDS * Math.pow(2, attempt - 1) + JITTER_SECONDS * (2 * random - 1));
        return Duration.ofMillis((long) (Math.min(seconds, CAP_SECONDS) * 1000));
    }

    static Duration before(int attempt, HttpResponse<?> tooMany, double random) {
        return before(attempt, tooMany.headers().firstValue("Retry-After"), random);
    }

    /** Empty for the date form, which the platform does not send. */
    private static Optional<Double> seconds(String retryAfter) {
        try {
            double seconds = Math.ceil(Double.parseDouble(retryAfter.strip()));
            return seconds >= 0 ? Optional.of(seconds) : Optional.empty();
        } catch (NumberFormatException date) {
            return Optional.empty();
        }
    }
}
