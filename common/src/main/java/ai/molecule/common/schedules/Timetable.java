package ai.molecule.common.schedules;

import ai.molecule.common.ApiError;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * When ticks are: by a cron expression, at an interval, or once. Told as one text, which is what clients know as {@code cron_expr}:
 * {@code 0 9 * * mon-fri}, {@code @every 600s} or {@code @at 2027-01-01T09:00:00Z}.
 */
public sealed interface Timetable {

    /** Below this a schedule would be a loop, and its history a log. */
    Duration INTERVAL_MIN = Duration.ofSeconds(10);

    Duration INTERVAL_MAX = Duration.ofDays(366);

    Pattern EVERY = Pattern.compile("@every (\\d{1,9})s");

    String AT = "@at ";

    /** @param zone whose clock is meant */
    record ByCron(CronExpression cron, ZoneId zone) implements Timetable {
        @Override
        public Optional<Instant> after(Instant moment, Instant anchor) {
            return cron.after(moment, zone);
        }
    }

    /** Counted from the anchor, so that an edit of something else moves no tick. */
    record Every(Duration interval) implements Timetable {
        @Override
        public Optional<Instant> after(Instant moment, Instant anchor) {
            if (moment.isBefore(anchor)) {
                return Optional.of(anchor.plus(interval));
            }
            long passed = Duration.between(anchor, moment).dividedBy(interval);
            return Optional.of(anchor.plus(interval.multipliedBy(passed + 1)));
        }
    }

    record Once(Instant at) implements Timetable {
        @Override
        public Optional<Instant> after(Instant moment, Instant anchor) {
            return at.isAfter(moment) ? Optional.of(at) : Optional.empty();
        }
    }

    /**
     * The first tick after a moment, in whole seconds; empty when there is none any more.
     *
     * @param anchor when the schedule began
     */
    Optional<Instant> after(Instant moment, Instant anchor);

    /** Fails with INVALID, and says what is wrong. */
    static Timetable of(String expression, ZoneId zone) {
        var every = EVERY.matcher(expression.strip());
        if (every.matches()) {
            return every(Long.parseLong(every.group(1)));
        }
        if (expression.startsWith(AT)) {
            return new Once(moment(expression.substring(AT.length()), zone));
        }
        return new ByCron(CronExpression.of(expression), zone);
    }

    static Every every(long seconds) {
        if (seconds < INTERVAL_MIN.toSeconds() || seconds > INTERVAL_MAX.toSeconds()) {
            throw ApiError.invalid("every_seconds must be between %d and %d"
                    .formatted(INTERVAL_MIN.toSeconds(), INTERVAL_MAX.toSeconds()));
        }
        return new Every(Duration.ofSeconds(seconds));
    }

    /** A time with its offset, or one that a clock of the zone shows. Fails with INVALID. */
    static Instant moment(String text, ZoneId zone) {
        try {
            return Instant.parse(text.strip()).truncatedTo(ChronoUnit.SECONDS);
        } catch (DateTimeParseException notUniversal) {
            try {
                return LocalDateTime.parse(text.strip())
                        .atZone(zone)
                        .toInstant()
                        .truncatedTo(ChronoUnit.SECONDS);
            } catch (DateTimeParseException noTime) {
                throw ApiError.invalid("at must be a time (RFC 3339): \"%s\"".formatted(Quoted.of(text)));
            }
        }
    }

    /** A zone of the IANA database, or {@code UTC}. Fails with INVALID in the words that clients know. */
    static ZoneId zone(String name) {
        try {
            var zone = ZoneId.of(name);
            if (!name.isEmpty() && ZoneId.getAvailableZoneIds().contains(zone.getId())) {
                return zone;
            }
        } catch (DateTimeException unknown) {
            // said below
        }
        throw ApiError.invalid("invalid timezone: " + Quoted.of(name));
    }
}
