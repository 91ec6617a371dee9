package ai.molecule.system.faults;

import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;

/** What the organisation of {@link WeekOfWorkWalk} is told by the clock, and when, by java.time and no word of the platform's. */
final class WeekCalendar {

    static final ZoneId ZONE = ZoneId.of("Europe/Berlin");

    private static final String ORGANISATION = """
            name: Week
            defaults: {runtime: rehearse, hibernation_idle_minutes: 5}
            workspaces:
              - name: Lead
                schedules:
                  - {name: morning, cron_expr: "30 8 * * *", timezone: Europe/Berlin, prompt: "say good morning"}
                  - {name: backup, cron_expr: "0 1,3 * * *", timezone: Europe/Berlin, prompt: "say kept"}
                children:
                  - name: Reporter
                    schedules:
                      - {name: report, cron_expr: "0 9 * * 1-5", timezone: Europe/Berlin, prompt: "ask may the report go out?"}
                  - name: Watcher
                    schedules:
                      - {name: watch, cron_expr: "0 */8 * * *", missed: skip, prompt: "say all is well"}
                  - name: Clerk
                    schedules:
                      - {name: books, cron_expr: "30 2 * * *", timezone: Europe/Berlin, missed: all, prompt: "say booked"}
                      - {name: once, at: "%sT15:00:00", timezone: Europe/Berlin, prompt: "say once"}
            """;

    /** What is expected of a tick. */
    enum Fate {
        ON_TIME,
        LATE,
        MISSED,
        /** A service died at that moment: it ran, or the history says why it did not. */
        CRASHED
    }

    private WeekCalendar() {}

    static String organisation(LocalDate monday) {
        return ORGANISATION.formatted(monday.plusDays(2));
    }

    /** A time that the clock leaves out is when it goes on, of two the first. */
    static List<Instant> ticks(String schedule, LocalDate day) {
        var workday = day.getDayOfWeek().getValue() <= 5;
        return switch (schedule) {
            case "morning" -> List.of(at(day, LocalTime.of(8, 30)));
            case "backup" -> List.of(at(day, LocalTime.of(1, 0)), at(day, LocalTime.of(3, 0)));
            case "books" -> List.of(at(day, LocalTime.of(2, 30)));
            case "report" -> workday ? List.of(at(day, LocalTime.of(9, 0))) : List.of();
            case "once" ->
                day.getDayOfWeek() == DayOfWeek.WEDNESDAY ? List.of(at(day, LocalTime.of(15, 0))) : List.of();
            default ->
                List.of(0, 8, 16).stream()
                        .flatMap(hour -> List.of(day.minusDays(1), day).stream()
                                .map(one -> at(one, LocalTime.of(hour, 0), ZoneOffset.UTC)))
                        .filter(moment -> moment.atZone(ZONE).toLocalDate().equals(day))
                        .toList();
        };
    }

    static Instant at(LocalDate day, LocalTime time) {
        var gap = ZONE.getRules().getTransition(day.atTime(time));
        return gap != null && gap.isGap()
                ? gap.getInstant()
                : day.atTime(time).atZone(ZONE).toInstant();
    }

    static Instant at(LocalDate day, LocalTime time, ZoneOffset offset) {
        return day.atTime(time).toInstant(offset);
    }

    /** Of a tick while the machine sleeps, by the policy of each: none of {@code watch} is made up for, the last of {@code backup}, all of {@code books}. */
    static Fate fateAsleep(String schedule, Instant moment) {
        return switch (schedule) {
            case "watch" -> Fate.MISSED;
            case "backup" -> moment.atZone(ZONE).getHour() == 1 ? Fate.MISSED : Fate.LATE;
            default -> Fate.LATE;
        };
    }
}
