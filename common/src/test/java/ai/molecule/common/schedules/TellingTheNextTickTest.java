package ai.molecule.common.schedules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.common.ApiError;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Ticks by cron, by interval and once, also where clocks change. */
class TellingTheNextTickTest {

    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
    private static final ZoneId LORD_HOWE = ZoneId.of("Australia/Lord_Howe");
    private static final Instant ANCHOR = Instant.parse("2026-01-01T00:00:05Z");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 9 * * mon-fri|2026-11-27T09:00:00Z|2026-11-30T09:00:00Z",
                "*/15 8-10 * * *|2026-11-24T08:40:10Z|2026-11-24T08:45:00Z",
                "5,35 * * * *|2026-11-24T08:35:00Z|2026-11-24T09:05:00Z",
                "0 0 29 2 *|2026-11-24T00:00:00Z|2028-02-29T00:00:00Z",
                "0 12 13 * fri|2026-11-24T00:00:00Z|2026-11-27T12:00:00Z", // either day
                "0 12 1-7/2 * 7|2026-11-28T12:30:00Z|2026-11-29T12:00:00Z",
                "@monthly|2026-11-24T00:00:00Z|2026-12-01T00:00:00Z",
                "10/20 0 * jan,dec *|2026-12-31T00:50:00Z|2027-01-01T00:10:00Z",
                "@every 600s|2026-01-01T00:10:04Z|2026-01-01T00:10:05Z",
                "@every 600s|2026-01-01T00:10:05Z|2026-01-01T00:20:05Z",
                "@at 2026-12-24T18:00:00+01:00|2026-11-24T00:00:00Z|2026-12-24T17:00:00Z"
            })
    void it_is_the_first_one_after_a_moment(String expression, Instant moment, Instant next) {
        assertThat(Timetable.of(expression, ZoneId.of("UTC")).after(moment, ANCHOR))
                .contains(next);
    }

    @Test
    void one_that_was_to_come_once_has_none_after_that() {
        var once = Timetable.of("@at 2026-12-24T18:00:00", BERLIN);

        assertThat(once.after(Instant.parse("2026-12-24T16:59:59Z"), ANCHOR))
                .contains(Instant.parse("2026-12-24T17:00:00Z"));
        assertThat(once.after(Instant.parse("2026-12-24T17:00:00Z"), ANCHOR)).isEmpty();
    }

    @Test
    void a_time_that_the_clock_leaves_out_comes_when_the_clock_goes_on() {
        assertThat(ticks("30 2 * * *", BERLIN, "2026-03-27T12:00:00Z", 4))
                .containsExactly(
                        "2026-03-28T01:30:00Z",
                        "2026-03-29T01:00:00Z", // 03:00, there is no half past two
                        "2026-03-30T00:30:00Z",
                        "2026-03-31T00:30:00Z");
        assertThat(ticks("0,30 2 * * *", BERLIN, "2026-03-29T00:00:00Z", 2))
                .containsExactly("2026-03-29T01:00:00Z", "2026-03-30T00:00:00Z");
        assertThat(ticks("15 2 * * *", LORD_HOWE, "2026-10-02T16:00:00Z", 3)) // half an hour is left out on the 4th
                .containsExactly("2026-10-03T15:30:00Z", "2026-10-04T15:15:00Z", "2026-10-05T15:15:00Z");
    }

    @Test
    void a_time_that_the_clock_shows_twice_comes_the_first_time() {
        assertThat(ticks("30 2 * * *", BERLIN, "2026-10-24T12:00:00Z", 2))
                .containsExactly("2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z");
        assertThat(ticks("30 2 * * *", BERLIN, "2026-10-25T00:45:00Z", 1)) // asked between the two
                .containsExactly("2026-10-26T01:30:00Z");
        assertThat(ticks("45 1 * * *", LORD_HOWE, "2026-04-04T12:00:00Z", 2))
                .containsExactly("2026-04-04T14:45:00Z", "2026-04-05T15:15:00Z");
    }

    @Test
    void what_comes_in_every_hour_goes_on_by_the_time_that_passes() {
        assertThat(ticks("0 * * * *", BERLIN, "2026-10-24T23:30:00Z", 4)) // two o'clock twice
                .containsExactly(
                        "2026-10-25T00:00:00Z", "2026-10-25T01:00:00Z", "2026-10-25T02:00:00Z", "2026-10-25T03:00:00Z");
        assertThat(ticks("*/30 * * * *", BERLIN, "2026-03-29T00:10:00Z", 3))
                .containsExactly("2026-03-29T00:30:00Z", "2026-03-29T01:00:00Z", "2026-03-29T01:30:00Z");
        assertThat(ticks("15 */2 * * *", LORD_HOWE, "2026-10-03T12:00:00Z", 3)) // a quarter past two is left out
                .containsExactly("2026-10-03T13:45:00Z", "2026-10-03T17:15:00Z", "2026-10-03T19:15:00Z");
    }

    @Property(tries = 300)
    void no_time_is_left_out_and_none_is_made_up(
            @ForAll @IntRange(min = 0, max = 59) int minute,
            @ForAll @IntRange(min = 1, max = 30) int step,
            @ForAll @IntRange(min = 0, max = 6) int weekday,
            @ForAll @IntRange(min = 0, max = 525_600) int start) {
        var cron = CronExpression.of("%d-59/%d */3 * * %d".formatted(minute, step, weekday));
        var from = Instant.parse("2026-01-01T00:00:00Z").plus(start, ChronoUnit.MINUTES);

        var next = cron.after(from, BERLIN).orElseThrow();

        var seen = from.plus(1, ChronoUnit.MINUTES);
        while (!matches(seen, minute, step, weekday)) {
            seen = seen.plus(1, ChronoUnit.MINUTES);
        }
        assertThat(next).isEqualTo(seen);
    }

    private static boolean matches(Instant moment, int minute, int step, int weekday) {
        var local = moment.atZone(BERLIN);
        return local.getMinute() >= minute
                && (local.getMinute() - minute) % step == 0
                && local.getHour() % 3 == 0
                && local.getDayOfWeek().getValue() % 7 == weekday;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "* * * *",
                "61 * * * *",
                "* 24 * * *",
                "0 0 30 2 *",
                "0 0 * * 8",
                "5-1 * * * *",
                "*/0 * * * *"
            })
    void one_that_is_impossible_is_refused_with_the_reason(String expression) {
        assertThatThrownBy(() -> CronExpression.of(expression))
                .isInstanceOf(ApiError.class)
                .hasMessageStartingWith("invalid cron expression \"" + expression + "\": ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Nowhere/Land", "", "+01:00", "europe/berlin"})
    void a_zone_that_nobody_knows_is_refused(String zone) {
        assertThatThrownBy(() -> Timetable.zone(zone)).hasMessage("invalid timezone: " + zone);
    }

    private static List<String> ticks(String expression, ZoneId zone, String from, int count) {
        var timetable = Timetable.of(expression, zone);
        List<String> ticks = new ArrayList<>();
        var moment = Instant.parse(from);
        for (int i = 0; i < count; i++) {
            moment = timetable.after(moment, ANCHOR).orElseThrow();
            ticks.add(moment.toString());
        }
        return ticks;
    }
}
