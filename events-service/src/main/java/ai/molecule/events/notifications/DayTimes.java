package ai.molecule.events.notifications;

import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * When a target is left in peace, and when it is told how a day went, by the clocks of where it lives.
 *
 * @param quietFrom, quietTo both null for none; over midnight where the first is the later one
 * @param digestAt null for none
 */
record DayTimes(
        @Nullable LocalTime quietFrom,
        @Nullable LocalTime quietTo,
        @Nullable LocalTime digestAt,
        ZoneId zone) {

    /** When the quiet hours end that are now; empty when none are. A time that the clocks leave out is the next there is. */
    Optional<Instant> quietUntil(Instant now) {
        var from = quietFrom;
        var to = quietTo;
        if (from == null || to == null) {
            return Optional.empty();
        }
        var here = now.atZone(zone);
        var time = here.toLocalTime();
        boolean quiet = from.isBefore(to)
                ? !time.isBefore(from) && time.isBefore(to)
                : !time.isBefore(from) || time.isBefore(to);
        return quiet ? Optional.of(next(now, to)) : Optional.empty();
    }

    /** The next digest after a moment; empty where none is wanted. */
    Optional<Instant> digestAfter(Instant now) {
        var at = digestAt;
        return at == null ? Optional.empty() : Optional.of(next(now, at));
    }

    private Instant next(Instant now, LocalTime at) {
        var today = now.atZone(zone).toLocalDate();
        for (int day = 0; ; day++) {
            var moment = today.plusDays(day).atTime(at).atZone(zone).toInstant();
            if (moment.isAfter(now)) {
                return moment;
            }
        }
    }
}
