package ai.molecule.proxy.models;

import io.vertx.core.MultiMap;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Whether a call that was refused is asked again, and when: only where the refusal says that nothing was done, and only within the patience
 * of who waits for it.
 *
 * @param tries how often one call is sent at most
 * @param patience how long its tries may be apart in all
 */
record RetryPlan(int tries, Duration patience) {

    /** Doubles from try to try, where a provider says no time of its own. */
    private static final Duration FIRST_PAUSE = Duration.ofMillis(500);

    private static final int TOO_MANY = 429;
    private static final int UNAVAILABLE = 503;
    private static final int OVERLOADED = 529;

    /** Client libraries say here how many seconds they wait for an answer. */
    private static final String CALLERS_TIMEOUT = "x-stainless-timeout";

    /** The same for one caller: half of what it waits for the answer may go by before the last try. */
    RetryPlan forCaller(MultiMap headers) {
        var told = seconds(headers.get(CALLERS_TIMEOUT)).map(whole -> whole.dividedBy(2));
        return told.isPresent() && told.get().compareTo(patience) < 0 ? new RetryPlan(tries, told.get()) : this;
    }

    /**
     * How long to wait before the next try; empty when there is none.
     *
     * @param sent how often it was sent
     * @param waited between the tries so far
     */
    Optional<Duration> again(int status, MultiMap headers, int sent, Duration waited, Instant now) {
        if (sent >= tries || "false".equalsIgnoreCase(headers.get("x-should-retry"))) {
            return Optional.empty();
        }
        var told = toldBy(headers, now);
        var pause =
                switch (status) {
                    case TOO_MANY ->
                        told; // without a time nobody knows when, and it may mean an account that is used up
                    case UNAVAILABLE, OVERLOADED ->
                        told.or(() -> Optional.of(FIRST_PAUSE.multipliedBy(1L << (sent - 1))));
                    default -> Optional.<Duration>empty();
                };
        return pause.filter(wait -> waited.plus(wait).compareTo(patience) <= 0);
    }

    /** How long a provider that is too busy asks its callers to wait; agents of ours do, when the call comes back to them. */
    static Optional<Duration> askedFor(int status, MultiMap headers, Instant now) {
        return status == TOO_MANY || status == UNAVAILABLE || status == OVERLOADED
                ? toldBy(headers, now)
                : Optional.empty();
    }

    /** Whether another provider may be asked instead: it refused for what it is, not for what it was asked. */
    static boolean isTheProviders(int status) {
        return status == TOO_MANY || status >= 500;
    }

    private static Optional<Duration> toldBy(MultiMap headers, Instant now) {
        return millis(headers.get("retry-after-ms"))
                .or(() -> seconds(headers.get("Retry-After")))
                .or(() -> date(headers.get("Retry-After"), now));
    }

    private static Optional<Duration> millis(@Nullable String text) {
        return number(text).map(count -> Duration.ofMillis(Math.round(count)));
    }

    private static Optional<Duration> seconds(@Nullable String text) {
        return number(text).map(count -> Duration.ofMillis(Math.round(count * 1_000)));
    }

    /** What is beyond a day is as good as never. */
    private static Optional<Double> number(@Nullable String text) {
        try {
            return Optional.ofNullable(text).map(Double::valueOf).filter(count -> count >= 0 && count <= 86_400_000);
        } catch (NumberFormatException none) {
            return Optional.empty();
        }
    }

    private static Optional<Duration> date(@Nullable String text, Instant now) {
        try {
            return Optional.ofNullable(text)
                    .map(date -> ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME))
                    .map(date -> Duration.between(now, date.toInstant()))
                    .map(wait -> wait.isNegative() ? Duration.ZERO : wait);
        } catch (DateTimeParseException none) {
            return Optional.empty();
        }
    }
}
