package ai.molecule.proxy.models;

import ai.molecule.common.ApiError;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What somebody wants to know of what models cost.
 *
 * @param from the first moment
 * @param to the moment after the last
 */
record UsageQuestion(By by, Instant from, Instant to) {

    /** What calls are added up by. */
    enum By {
        AGENT,
        /** All below an inner node of the org chart, so a call counts for each of those above it. */
        TEAM,
        /** All trees of one together; what is of none is null's. */
        TENANT,
        MODEL,
        DELEGATION,
        /** On whose behalf, as passports prove it. */
        PRINCIPAL,
        DAY;

        String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private static final Duration RANGE_MAX = Duration.ofDays(366);

    /** A day means its beginning, as the last one its end; without any it is this month (UTC) until now. */
    static UsageQuestion of(@Nullable String by, @Nullable String from, @Nullable String to, Clock clock) {
        var wanted = by == null
                ? By.AGENT
                : Stream.of(By.values())
                        .filter(one -> one.wireName().equals(by))
                        .findFirst()
                        .orElseThrow(() -> ApiError.invalid("by must be one of "
                                + Stream.of(By.values()).map(By::wireName).collect(Collectors.joining(", "))));
        var now = clock.instant();
        var until = to == null ? now.plusSeconds(1) : moment("to", to, 1);
        var since = from == null
                ? ModelCallRow.periodOf(now).atStartOfDay(ZoneOffset.UTC).toInstant()
                : moment("from", from, 0);
        if (!since.isBefore(until) || Duration.between(since, until).compareTo(RANGE_MAX) > 0) {
            throw ApiError.invalid("from must be before to, by 366 days at most");
        }
        return new UsageQuestion(wanted, since, until);
    }

    private static Instant moment(String name, String text, int daysAfter) {
        try {
            var moment = text.length() == 10
                    ? LocalDate.parse(text)
                            .plusDays(daysAfter)
                            .atStartOfDay(ZoneOffset.UTC)
                            .toInstant()
                    : Instant.parse(text);
            if (moment.isAfter(Instant.EPOCH) && moment.isBefore(Instant.parse("9999-01-01T00:00:00Z"))) {
                return moment;
            }
        } catch (DateTimeException malformed) {
            // same answer as for one that PostgreSQL does not know
        }
        throw ApiError.invalid(name + " must be a day (2026-01-31) or a time (2026-01-31T12:00:00Z)");
    }
}
