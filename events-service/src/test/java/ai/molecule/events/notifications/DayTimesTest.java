package ai.molecule.events.notifications;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Quiet hours and digests go by the clocks of a place, also when those are put forward or back. */
class DayTimesTest {

    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

    @ParameterizedTest
    @CsvSource({
        "22:00, 07:00, 2026-11-26T20:59:59Z, ",
        "22:00, 07:00, 2026-11-26T21:00:00Z, 2026-11-27T06:00:00Z",
        "22:00, 07:00, 2026-11-27T05:59:59Z, 2026-11-27T06:00:00Z",
        "22:00, 07:00, 2026-11-27T06:00:00Z, ",
        "12:00, 13:30, 2026-11-26T11:15:00Z, 2026-11-26T12:30:00Z",
        // Clocks go back at 3 on 2026-10-25: the night has an hour more, and forward at 2 on 2026-03-29: 2:30 is 3:30
        // then
        "22:00, 07:00, 2026-10-24T21:00:00Z, 2026-10-25T06:00:00Z",
        "22:00, 07:00, 2026-03-28T22:00:00Z, 2026-03-29T05:00:00Z",
        "22:00, 02:30, 2026-03-28T22:00:00Z, 2026-03-29T01:30:00Z"
    })
    void quiet_hours_end_by_the_clock(LocalTime from, LocalTime to, Instant now, Instant end) {
        var times = new DayTimes(from, to, null, BERLIN);

        assertThat(times.quietUntil(now).orElse(null)).isEqualTo(end);
    }

    @Test
    void a_digest_comes_once_a_day() {
        var times = new DayTimes(null, null, LocalTime.of(8, 0), BERLIN);
        var first = Instant.parse("2026-10-24T06:00:00Z");

        assertThat(times.digestAfter(first.minusSeconds(1))).contains(first);
        assertThat(times.digestAfter(first)).contains(Instant.parse("2026-10-25T07:00:00Z"));
        assertThat(new DayTimes(null, null, null, BERLIN).digestAfter(first)).isEmpty();
        assertThat(new DayTimes(null, null, null, BERLIN).quietUntil(first)).isEmpty();
    }

    @Test
    void pauses_double_up_to_half_an_hour() {
        assertThat(Patience.DEFAULT.pauseAfter(1)).hasSeconds(10);
        assertThat(Patience.DEFAULT.pauseAfter(3)).hasSeconds(40);
        assertThat(Patience.DEFAULT.pauseAfter(1_000)).hasMinutes(30);
    }

    @Test
    void a_digest_says_what_there_is_to_say() {
        assertThat(new Digest(14, 2, 0, 3_100_000, 0).text()).isEqualTo("14 done, 2 stopped, $3.10");
        assertThat(new Digest(0, 0, 1, 0, 2).text()).isEqualTo("0 done, 1 failed, $0.00; 2 wait for you");
    }
}
