package ai.molecule.runtime.langchain4j;

import dev.langchain4j.exception.HttpException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Optional;

/** An answer that is none, and when the endpoint wants to be asked again. */
final class EndpointRefusal extends HttpException {

    private static final long serialVersionUID = 1L;

    private final long retryAfterMillis;

    private EndpointRefusal(int status, String words, long retryAfterMillis) {
        super(status, words);
        this.retryAfterMillis = retryAfterMillis;
    }

    /** @param retryAfter the header: seconds, or a time; what is neither counts as absent */
    static EndpointRefusal of(int status, String words, String retryAfter, Instant now) {
        return new EndpointRefusal(status, words, millis(retryAfter.strip(), now));
    }

    /** Empty when it did not say. */
    Optional<Duration> retryAfter() {
        return retryAfterMillis < 0 ? Optional.empty() : Optional.of(Duration.ofMillis(retryAfterMillis));
    }

    private static long millis(String header, Instant now) {
        if (header.matches("\\d{1,6}")) {
            return Long.parseLong(header) * 1000;
        }
        try {
            Instant then = ZonedDateTime.parse(header, DateTimeFormatter.RFC_1123_DATE_TIME)
                    .toInstant();
            return Math.max(0, Duration.between(now, then).toMillis());
        } catch (DateTimeParseException neither) {
            return -1;
        }
    }
}
