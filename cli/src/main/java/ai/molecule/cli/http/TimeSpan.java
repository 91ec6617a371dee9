package ai.molecule.cli.http;

import ai.molecule.cli.LaunchFailure;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Pattern;

/** Spans of time as people type them. */
public final class TimeSpan {

    private static final Pattern SPAN = Pattern.compile("([1-9][0-9]{0,6})([smhd])");
    private static final Map<String, Duration> UNITS = Map.of(
            "s", Duration.ofSeconds(1), "m", Duration.ofMinutes(1), "h", Duration.ofHours(1), "d", Duration.ofDays(1));

    private TimeSpan() {}

    /** @param option whose value it is, for the sentence where it is none */
    public static Duration of(String option, String text) {
        var span = SPAN.matcher(text);
        if (!span.matches()) {
            throw LaunchFailure.usersTurn(option + " " + text + " is no span of time; try 90s, 30m, 24h or 7d.");
        }
        return UNITS.getOrDefault(span.group(2), Duration.ZERO).multipliedBy(Long.parseLong(span.group(1)));
    }
}
