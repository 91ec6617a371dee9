package ai.molecule.proxy.schedules;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.json.Json;
import ai.molecule.common.schedules.ScheduleSpec;
import ai.molecule.proxy.schedules.TickPlan.Left;
import ai.molecule.proxy.schedules.TickPlan.Run;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What becomes of ticks: on time, late, missed, while a workspace pauses; over a week in which the platform is away now and then. */
class DecidingOnTicksTest {

    private static final UUID ID = UUID.fromString("0193a000-0000-7000-8000-000000000001");
    private static final Instant NINE = Instant.parse("2026-11-23T09:00:00Z");

    @Test
    void a_tick_on_time_runs_and_the_next_one_is_set() {
        var plan = plan("{'cron_expr':'0 9 * * *','prompt':'p'}", NINE, NINE.plusSeconds(59), null);

        assertThat(plan.runs()).containsExactly(new Run(NINE, null));
        assertThat(plan.left()).isEmpty();
        assertThat(plan.next()).contains(NINE.plus(Duration.ofDays(1)));
    }

    @ParameterizedTest
    @CsvSource({"skip,0,4", "once,1,3", "all,4,0"})
    void missed_ticks_are_made_up_for_as_the_schedule_says(String policy, int runs, int left) {
        var plan = plan(
                "{'cron_expr':'0 * * * *','prompt':'p','missed':'%s'}".formatted(policy),
                NINE,
                NINE.plus(Duration.ofMinutes(210)),
                null);

        assertThat(plan.runs()).hasSize(runs).allMatch(run -> run.late() != null);
        assertThat(plan.left()).hasSize(left).allMatch(Left::missed);
        assertThat(plan.next()).contains(NINE.plus(Duration.ofHours(4)));
    }

    @Test
    void one_made_up_for_says_how_late_it_is_and_the_others_why_not() {
        var plan = plan("{'cron_expr':'0 * * * *','prompt':'p'}", NINE, NINE.plus(Duration.ofMinutes(150)), null);

        assertThat(plan.runs())
                .containsExactly(new Run(NINE.plus(Duration.ofHours(2)), "30 min late: the platform did not run then"));
        assertThat(plan.left())
                .extracting(Left::reason)
                .containsOnly("the platform did not run then; one run makes up for 3");
    }

    @Test
    void behind_its_window_a_missed_tick_is_told_and_not_run() {
        var plan = plan(
                "{'cron_expr':'0 9 * * *','prompt':'p','missed_window_seconds':3600}",
                NINE,
                NINE.plus(Duration.ofHours(6)),
                null);

        assertThat(plan.runs()).isEmpty();
        assertThat(plan.left())
                .containsExactly(new Left(NINE, true, "the platform did not run then, and it is 6 h 0 min ago"));
    }

    @Test
    void no_more_than_twenty_are_made_up_for_and_those_before_five_hundred_are_counted() {
        var plan =
                plan("{'every_seconds':60,'prompt':'p','missed':'all'}", NINE, NINE.plus(Duration.ofHours(12)), null);

        assertThat(plan.runs().stream().filter(run -> run.late() != null)).hasSize(20);
        assertThat(plan.runs().getLast()).isEqualTo(new Run(NINE.plus(Duration.ofHours(12)), null));
        assertThat(plan.runs().size() + plan.left().size()).isEqualTo(500);
        assertThat(plan.left().getFirst().reason()).contains("; and 221 before it");
    }

    @Test
    void while_its_workspace_pauses_nothing_runs_and_the_reason_is_told() {
        var plan = plan("{'cron_expr':'0 9 * * *','prompt':'p'}", NINE, NINE, "workspace is paused");

        assertThat(plan.runs()).isEmpty();
        assertThat(plan.left()).containsExactly(new Left(NINE, false, "workspace is paused"));
        assertThat(plan.next()).isPresent();
    }

    @Test
    void one_that_comes_once_has_nothing_to_come_after_that() {
        var plan = plan("{'at':'2026-11-23T09:00:00Z','prompt':'p'}", NINE, NINE.plusSeconds(1), null);

        assertThat(plan.runs()).hasSize(1);
        assertThat(plan.next()).isEmpty();
        assertThat(plan.due()).isEmpty();
    }

    @Test
    void jitter_spreads_schedules_and_never_moves_a_tick_behind_the_next_one() {
        var spec = spec("{'cron_expr':'* * * * *','prompt':'p','jitter_seconds':3600}");
        Set<Instant> dues = new HashSet<>();
        for (int i = 0; i < 200; i++) {
            var due = TickPlan.dueAt(new UUID(i, 7L * i), spec, spec.timetable(), NINE, NINE);
            assertThat(due).isBetween(NINE, NINE.plusSeconds(59));
            dues.add(due);
        }
        assertThat(dues).hasSizeGreaterThan(5);
    }

    /** Two crashes a day and six hours of sleep, and each tick of the week is accounted for once. */
    @ParameterizedTest
    @CsvSource({"skip", "once", "all"})
    void in_a_week_with_crashes_and_sleep_no_tick_is_lost_and_none_comes_twice(String missed) {
        var spec = spec(
                "{'cron_expr':'*/10 * * * *','timezone':'Europe/Berlin','prompt':'p','missed':'%s'}".formatted(missed));
        var begin = Instant.parse("2026-10-20T00:00:00Z"); // clocks change within
        var end = begin.plus(Duration.ofDays(7));
        var first = spec.timetable().after(begin, begin).orElseThrow();
        List<Instant> told = new ArrayList<>();
        List<Instant> missing = new ArrayList<>();
        var next = first;
        for (var now = begin; !now.isAfter(end); now = now.plusSeconds(30)) {
            if (isAway(begin, now)
                    || TickPlan.dueAt(ID, spec, spec.timetable(), begin, next).isAfter(now)) {
                continue;
            }
            var plan = TickPlan.of(ID, spec, begin, next, now, null);
            plan.runs().forEach(run -> told.add(run.tick()));
            plan.left().forEach(left -> told.add(left.tick()));
            plan.left().stream().filter(Left::missed).forEach(left -> missing.add(left.tick()));
            next = plan.next().orElseThrow();
        }

        List<Instant> all = new ArrayList<>();
        for (var tick = first;
                !tick.isAfter(end);
                tick = spec.timetable().after(tick, begin).orElseThrow()) {
            all.add(tick);
        }
        assertThat(told).containsExactlyInAnyOrderElementsOf(all).hasSizeGreaterThan(1_000);
        assertThat(missing).isNotEmpty().allMatch(tick -> isAway(begin, tick));
    }

    private static boolean isAway(Instant begin, Instant now) {
        long minutes = Duration.between(begin, now).toMinutes() % (24 * 60);
        return IntStream.of(7 * 60 + 3, 15 * 60 + 58).anyMatch(crash -> minutes >= crash && minutes < crash + 12)
                || minutes >= 18 * 60; // asleep
    }

    private static TickPlan plan(String said, Instant first, Instant now, @Nullable String why) {
        return TickPlan.of(ID, spec(said), first, first, now, why);
    }

    private static ScheduleSpec spec(String said) {
        return ScheduleSpec.of((ObjectNode) Json.stored(said.replace('\'', '"')));
    }
}
