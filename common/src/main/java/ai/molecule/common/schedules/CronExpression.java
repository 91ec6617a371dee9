package ai.molecule.common.schedules;

import ai.molecule.common.ApiError;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A cron expression of five fields (minute, hour, day of month, month, day of week), or one of the usual names such as {@code @daily}. Lists,
 * ranges, steps and English names of three letters are known; 7 is Sunday too; where both days are restricted either of them will do.
 *
 * <p>Where clocks change, an expression whose hour begins with {@code *} goes on by the time that passes: what the clock leaves out is left
 * out, what it shows twice comes twice. Any other names times of a day, each of which comes once: one that the clock leaves out at the moment
 * when it goes on, one that it shows twice the first time. Those are the rules of Vixie cron.
 */
public final class CronExpression {

    /** Leap days are up to eight years apart. An expression without a day in that time has none at all. */
    private static final int YEARS_MAX = 9;

    private static final Map<String, String> NAMES = Map.of(
            "@yearly", "0 0 1 1 *",
            "@annually", "0 0 1 1 *",
            "@monthly", "0 0 1 * *",
            "@weekly", "0 0 * * 0",
            "@daily", "0 0 * * *",
            "@midnight", "0 0 * * *",
            "@hourly", "0 * * * *");

    private record Field(String name, int min, int max, List<String> names) {}

    private static final Field MINUTE = new Field("minute", 0, 59, List.of());
    private static final Field HOUR = new Field("hour", 0, 23, List.of());
    private static final Field DAY = new Field("day of month", 1, 31, List.of());
    private static final Field MONTH = new Field(
            "month",
            1,
            12,
            List.of("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"));
    private static final Field WEEKDAY =
            new Field("day of week", 0, 7, List.of("sun", "mon", "tue", "wed", "thu", "fri", "sat"));

    private static final Pattern PART = Pattern.compile("(?:\\*|(\\w{1,3})(?:-(\\w{1,3}))?)(?:/(\\d{1,2}))?");

    private final BitSet minutes;
    private final BitSet hours;
    private final BitSet days;
    private final BitSet months;
    private final BitSet weekdays;
    private final boolean eitherDay;
    private final boolean byPassingTime;

    private CronExpression(String[] fields, String whole) {
        minutes = values(fields[0], MINUTE, whole);
        hours = values(fields[1], HOUR, whole);
        days = values(fields[2], DAY, whole);
        months = values(fields[3], MONTH, whole);
        weekdays = values(fields[4], WEEKDAY, whole);
        if (weekdays.get(7)) {
            weekdays.set(0);
        }
        eitherDay = !fields[2].startsWith("*") && !fields[4].startsWith("*");
        byPassingTime = fields[1].startsWith("*");
    }

    /** Fails with INVALID, and says what of it is wrong, also for one that has no time at all, such as a 30th of February. */
    public static CronExpression of(String text) {
        String stripped = text.strip().toLowerCase(Locale.ROOT);
        var fields = NAMES.getOrDefault(stripped, stripped).split("\\s+");
        if (fields.length != 5) {
            throw invalid(text, "it has not five fields");
        }
        var read = new CronExpression(fields, text);
        if (read.firstFrom(LocalDateTime.of(2000, 1, 1, 0, 0)).isEmpty()) {
            throw invalid(text, "there is no such day");
        }
        return read;
    }

    /** The first time after {@code moment}, to the minute; empty behind the years that a clock can show. */
    public Optional<Instant> after(Instant moment, ZoneId zone) {
        return byPassingTime ? afterInPassing(moment, zone) : afterByTheClock(moment, zone);
    }

    private Optional<Instant> afterInPassing(Instant moment, ZoneId zone) {
        var rules = zone.getRules();
        var from = moment.truncatedTo(ChronoUnit.MINUTES).plus(1, ChronoUnit.MINUTES);
        var end = from.plus(366L * YEARS_MAX, ChronoUnit.DAYS);
        while (from.isBefore(end)) {
            var offset = rules.getOffset(from);
            var change = rules.nextTransition(from);
            var found = firstFrom(LocalDateTime.ofInstant(from, offset)).map(local -> local.toInstant(offset));
            if (change == null || found.isPresent() && found.get().isBefore(change.getInstant())) {
                return found;
            }
            from = change.getInstant();
        }
        return Optional.empty();
    }

    private Optional<Instant> afterByTheClock(Instant moment, ZoneId zone) {
        var local = LocalDateTime.ofInstant(moment, zone).truncatedTo(ChronoUnit.MINUTES);
        var next = firstFrom(local.plusMinutes(1));
        while (next.isPresent()) {
            var instant = instantOf(next.get(), zone);
            if (instant.isAfter(moment)) {
                return Optional.of(instant);
            }
            next = firstFrom(next.get().plusMinutes(1)); // shown a second time, or left out: that was before
        }
        return Optional.empty();
    }

    private static Instant instantOf(LocalDateTime local, ZoneId zone) {
        var rules = zone.getRules();
        var offsets = rules.getValidOffsets(local);
        return offsets.isEmpty() ? rules.getTransition(local).getInstant() : local.toInstant(offsets.getFirst());
    }

    /** What a clock shows first that never changes. */
    private Optional<LocalDateTime> firstFrom(LocalDateTime from) {
        int hour = from.getHour();
        if (isDay(from.toLocalDate())) {
            if (hours.get(hour)) {
                int minute = minutes.nextSetBit(from.getMinute());
                if (minute >= 0) {
                    return Optional.of(from.toLocalDate().atTime(hour, minute));
                }
            }
            int later = hours.nextSetBit(hour + 1);
            if (later >= 0) {
                return Optional.of(from.toLocalDate().atTime(later, minutes.nextSetBit(0)));
            }
        }
        var first = LocalTime.of(hours.nextSetBit(0), minutes.nextSetBit(0));
        return dayAfter(from.toLocalDate()).map(day -> day.atTime(first));
    }

    private Optional<LocalDate> dayAfter(LocalDate from) {
        int years = from.getYear() + YEARS_MAX;
        var day = from.plusDays(1);
        while (day.getYear() <= years) {
            if (!months.get(day.getMonthValue())) {
                day = day.withDayOfMonth(1).plusMonths(1);
            } else if (isDay(day)) {
                return Optional.of(day);
            } else {
                day = day.plusDays(1);
            }
        }
        return Optional.empty();
    }

    private boolean isDay(LocalDate day) {
        boolean ofMonth = days.get(day.getDayOfMonth());
        boolean ofWeek = weekdays.get(day.getDayOfWeek().getValue() % 7);
        return months.get(day.getMonthValue()) && (eitherDay ? ofMonth || ofWeek : ofMonth && ofWeek);
    }

    private static BitSet values(String text, Field field, String whole) {
        var values = new BitSet();
        for (String part : text.split(",", -1)) {
            add(values, part, field, whole);
        }
        return values;
    }

    private static void add(BitSet values, String text, Field field, String whole) {
        var part = PART.matcher(text);
        if (!part.matches()) {
            throw invalid(whole, "its %s is none".formatted(field.name()));
        }
        String first = part.group(1);
        String last = part.group(2);
        String every = part.group(3);
        int step = every == null ? 1 : Integer.parseInt(every);
        int from = first == null ? field.min() : value(first, field);
        int to = last != null ? value(last, field) : first != null && every == null ? from : field.max();
        if (from < field.min() || to > field.max() || from > to || step == 0) {
            throw invalid(whole, "its %s is not within %d to %d".formatted(field.name(), field.min(), field.max()));
        }
        for (int value = from; value <= to; value += step) {
            values.set(value);
        }
    }

    /** -1 for what is none. */
    private static int value(String text, Field field) {
        int name = field.names().indexOf(text);
        if (name >= 0) {
            return name + field.min();
        }
        return text.matches("\\d{1,2}") ? Integer.parseInt(text) : -1;
    }

    private static ApiError invalid(String text, String why) {
        return ApiError.invalid("invalid cron expression \"%s\": %s".formatted(Quoted.of(text), why));
    }
}
