package ai.molecule.proxy.schedules;

import ai.molecule.common.schedules.MissedPolicy;
import ai.molecule.common.schedules.ScheduleSpec;
import ai.molecule.common.schedules.Timetable;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a schedule's ticks up to a moment; decided without clock, network or store.
 *
 * @param runs ticks to be run, in order
 * @param left ticks that are not, in order
 * @param next the tick to come; empty when there is none any more
 * @param due when that is looked at: the tick and its jitter
 */
record TickPlan(List<Run> runs, List<Left> left, Optional<Instant> next, Optional<Instant> due) {

    /** Later than that a tick was missed: two leases of a replica that died with it, and some. */
    static final Duration GRACE = Duration.ofSeconds(60);

    /** Runs of one schedule that are made up for at one time. */
    static final int CAUGHT_UP_MAX = 20;

    /** Ticks that are told of one by one; of older ones the oldest of these says how many there were. */
    static final int TOLD_MAX = 500;

    /** Ticks that are counted at all: a week of minutes. What is older than that many is passed over. */
    static final int COUNTED_MAX = 10_080;

    /** @param late null for one on time */
    record Run(Instant tick, @Nullable String late) {}

    /** @param missed whether nobody was there for it; else somebody was, and there was a reason */
    record Left(Instant tick, boolean missed, String reason) {}

    /** @param why its workspace takes no runs now; null when it does */
    static TickPlan of(UUID id, ScheduleSpec spec, Instant anchor, Instant first, Instant now, @Nullable String why) {
        var timetable = spec.timetable();
        Deque<Instant> ticks = new ArrayDeque<>();
        long before = 0;
        var tick = Optional.of(counted(timetable, first, now));
        while (tick.isPresent()
                && !dueAt(id, spec, timetable, anchor, tick.get()).isAfter(now)) {
            ticks.add(tick.get());
            if (ticks.size() > TOLD_MAX) {
                ticks.removeFirst();
                before++;
            }
            tick = timetable.after(tick.get(), anchor);
        }
        var told = List.copyOf(ticks);
        var split = split(id, spec, timetable, anchor, told, now);
        var left = new ArrayList<Left>();
        var runs = new ArrayList<Run>();
        settle(spec, split, now, why, runs, left);
        if (before > 0 && !left.isEmpty()) {
            var oldest = left.getFirst();
            left.set(0, new Left(oldest.tick(), true, oldest.reason() + "; and %d before it".formatted(before)));
        }
        return new TickPlan(
                List.copyOf(runs), List.copyOf(left), tick, tick.map(next -> dueAt(id, spec, timetable, anchor, next)));
    }

    /** When a tick is looked at: later by the same time on every replica, and always before the one after it. */
    static Instant dueAt(UUID id, ScheduleSpec spec, Timetable timetable, Instant anchor, Instant tick) {
        long jitter = spec.jitter().toSeconds();
        if (jitter == 0) {
            return tick;
        }
        long room = timetable
                .after(tick, anchor)
                .map(next -> Duration.between(tick, next).toSeconds() - 1)
                .orElse(jitter);
        return tick.plusSeconds(Math.floorMod(drawn(id, tick), Math.min(room, jitter) + 1));
    }

    /** The same on every replica, and another for each schedule and tick. */
    private static long drawn(UUID id, Instant tick) {
        long mixed = (id.getMostSignificantBits() ^ id.getLeastSignificantBits() ^ tick.getEpochSecond())
                * 0x9E3779B97F4A7C15L;
        return mixed ^ (mixed >>> 32);
    }

    /** Intervals of seconds make more ticks than are worth counting. */
    private static Instant counted(Timetable timetable, Instant first, Instant now) {
        if (timetable instanceof Timetable.Every every) {
            long passed = first.isAfter(now) ? 0 : Duration.between(first, now).dividedBy(every.interval());
            return first.plus(every.interval().multipliedBy(Math.max(0, passed - COUNTED_MAX)));
        }
        return first;
    }

    /** @param missed which of the ticks are, the others being on time */
    private record Split(List<Instant> missed, List<Instant> onTime) {}

    private static Split split(
            UUID id, ScheduleSpec spec, Timetable timetable, Instant anchor, List<Instant> ticks, Instant now) {
        var missed = ticks.stream()
                .filter(tick ->
                        dueAt(id, spec, timetable, anchor, tick).plus(GRACE).isBefore(now))
                .toList();
        return new Split(missed, ticks.subList(missed.size(), ticks.size()));
    }

    private static void settle(
            ScheduleSpec spec, Split split, Instant now, @Nullable String why, List<Run> runs, List<Left> left) {
        var missed = split.missed();
        int from = why == null ? madeUpFor(spec, missed, now) : missed.size();
        for (int i = 0; i < missed.size(); i++) {
            var tick = missed.get(i);
            if (i >= from) {
                runs.add(new Run(tick, "%s late: the platform did not run then".formatted(told(tick, now))));
            } else {
                left.add(new Left(tick, true, reason(spec, missed.size(), tick, now, why)));
            }
        }
        for (var tick : split.onTime()) {
            if (why == null) {
                runs.add(new Run(tick, null));
            } else {
                left.add(new Left(tick, false, why));
            }
        }
    }

    /** The index of the first missed tick that is run; all after it are too. */
    private static int madeUpFor(ScheduleSpec spec, List<Instant> missed, Instant now) {
        int count =
                switch (spec.missed()) {
                    case SKIP -> 0;
                    case ONCE -> 1;
                    case ALL -> CAUGHT_UP_MAX;
                };
        int from = Math.max(0, missed.size() - count);
        while (from < missed.size() && isTooLate(spec, missed.get(from), now)) {
            from++;
        }
        return from;
    }

    private static boolean isTooLate(ScheduleSpec spec, Instant tick, Instant now) {
        return tick.plus(spec.missedWindow()).isBefore(now);
    }

    private static String reason(ScheduleSpec spec, int missed, Instant tick, Instant now, @Nullable String why) {
        String missing = "the platform did not run then";
        if (why != null) {
            return missing + "; " + why;
        }
        if (spec.missed() == MissedPolicy.SKIP) {
            return missing + "; missed runs are skipped";
        }
        if (isTooLate(spec, tick, now)) {
            return missing + ", and it is %s ago".formatted(told(tick, now));
        }
        return missing
                + (spec.missed() == MissedPolicy.ONCE
                        ? "; one run makes up for %d".formatted(missed)
                        : "; the newest %d are made up for".formatted(CAUGHT_UP_MAX));
    }

    private static String told(Instant tick, Instant now) {
        var late = Duration.between(tick, now);
        return late.toHours() > 0
                ? "%d h %d min".formatted(late.toHours(), late.toMinutesPart())
                : "%d min".formatted(late.toMinutes());
    }
}
