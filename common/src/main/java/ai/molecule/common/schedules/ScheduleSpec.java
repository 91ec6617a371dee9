package ai.molecule.common.schedules;

import ai.molecule.common.ApiError;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a schedule says, checked.
 *
 * @param name unique in its workspace; empty where none was said
 * @param expression the timetable's, see {@link Timetable}
 * @param timezone whose clock that means
 * @param prompt what the agent is told at each tick
 * @param enabled false for one that pauses
 * @param missedWindow how late a missed tick is still made up for
 * @param jitter by how much a tick may come later, so that not all come at once
 */
public record ScheduleSpec(
        String name,
        String expression,
        String timezone,
        String prompt,
        boolean enabled,
        MissedPolicy missed,
        Duration missedWindow,
        OverlapPolicy overlap,
        Duration jitter) {

    public static final int NAME_MAX_CHARS = 100;
    public static final int PROMPT_MAX_BYTES = 64 * 1024;

    /** The same day, and not the next one. */
    static final Duration WINDOW_DEFAULT = Duration.ofHours(12);

    static final Duration WINDOW_MAX = Duration.ofDays(7);
    static final Duration JITTER_MAX = Duration.ofHours(1);

    private static final String COMPLAINT = "invalid request body";
    private static final String REQUIRED = "cron_expr and prompt are required";

    /** Of these a change takes the place of whichever was there. */
    private static final String[] TIMES = {"cron_expr", "every_seconds", "at"};

    public Timetable timetable() {
        return Timetable.of(expression, Timetable.zone(timezone));
    }

    /** Of the members of a request or of an entry in an organisation's file. Fails with INVALID, and says what is wrong. */
    public static ScheduleSpec of(JsonNode members) {
        var body = JsonBody.parse(Json.bytes(members), COMPLAINT);
        String name = body.text("name", "").strip();
        if (name.codePointCount(0, name.length()) > NAME_MAX_CHARS) {
            throw ApiError.invalid("name must be at most %d characters".formatted(NAME_MAX_CHARS));
        }
        String timezone = body.text("timezone", "UTC");
        timezone = timezone.isBlank() ? "UTC" : timezone.strip();
        var zone = Timetable.zone(timezone);
        String expression = expression(body);
        String prompt = body.text("prompt", "").replace("\r", "");
        if (prompt.isBlank()) {
            throw ApiError.invalid(REQUIRED);
        }
        if (prompt.getBytes(StandardCharsets.UTF_8).length > PROMPT_MAX_BYTES) {
            throw ApiError.invalid("prompt must be at most 64 KiB");
        }
        var timetable = Timetable.of(expression, zone);
        var jitter = seconds(body, "jitter_seconds", Duration.ZERO, JITTER_MAX);
        if (timetable instanceof Timetable.Every every && jitter.compareTo(every.interval()) >= 0) {
            throw ApiError.invalid("jitter_seconds must be less than every_seconds");
        }
        return new ScheduleSpec(
                name,
                // told as one text whichever way it was said
                timetable instanceof Timetable.Once once ? Timetable.AT + once.at() : expression.strip(),
                timezone,
                prompt,
                body.flag("enabled", true),
                one(body, "missed", MissedPolicy.class, MissedPolicy.ONCE),
                seconds(body, "missed_window_seconds", WINDOW_DEFAULT, WINDOW_MAX),
                one(body, "overlap", OverlapPolicy.class, OverlapPolicy.SKIP),
                jitter);
    }

    /** This one with what {@code members} say over it. Fails as {@link #of}. */
    public ScheduleSpec with(ObjectNode members) {
        var changed = toJson();
        for (String time : TIMES) {
            if (members.hasNonNull(time)) {
                changed.remove("cron_expr");
            }
        }
        members.properties().forEach(member -> {
            if (!member.getValue().isNull()) { // nothing of it can be taken away
                changed.set(member.getKey(), member.getValue());
            }
        });
        return of(changed);
    }

    public ObjectNode toJson() {
        return Json.object()
                .put("name", name)
                .put("cron_expr", expression)
                .put("timezone", timezone)
                .put("prompt", prompt)
                .put("enabled", enabled)
                .put("missed", wire(missed))
                .put("missed_window_seconds", missedWindow.toSeconds())
                .put("overlap", wire(overlap))
                .put("jitter_seconds", jitter.toSeconds());
    }

    /** As clients write it. */
    public static String wire(Enum<?> policy) {
        return policy.name().toLowerCase(Locale.ROOT);
    }

    private static String expression(JsonBody body) {
        if (Arrays.stream(TIMES).filter(time -> said(body, time)).count() > 1) {
            throw ApiError.invalid("say one of cron_expr, every_seconds and at");
        }
        if (said(body, "every_seconds")) {
            return "@every %ds"
                    .formatted(Timetable.every(body.integer("every_seconds", 0))
                            .interval()
                            .toSeconds());
        }
        String at = body.text("at");
        if (at != null && !at.isEmpty()) {
            return Timetable.AT + at;
        }
        String cron = body.text("cron_expr", "");
        if (cron.isBlank()) {
            throw ApiError.invalid(REQUIRED);
        }
        return cron;
    }

    private static boolean said(JsonBody body, String time) {
        @Nullable JsonNode said = body.node(time);
        return said != null && !(said.isTextual() && said.textValue().isBlank());
    }

    private static Duration seconds(JsonBody body, String name, Duration fallback, Duration max) {
        long seconds = body.integer(name, fallback.toSeconds());
        if (seconds < 0 || seconds > max.toSeconds()) {
            throw ApiError.invalid("%s must be between 0 and %d".formatted(name, max.toSeconds()));
        }
        return Duration.ofSeconds(seconds);
    }

    private static <E extends Enum<E>> E one(JsonBody body, String name, Class<E> type, E fallback) {
        String said = body.text(name);
        if (said == null) {
            return fallback;
        }
        return Arrays.stream(type.getEnumConstants())
                .filter(each -> wire(each).equals(said))
                .findFirst()
                .orElseThrow(() -> ApiError.invalid("%s must be one of %s"
                        .formatted(
                                name,
                                Arrays.stream(type.getEnumConstants())
                                        .map(ScheduleSpec::wire)
                                        .collect(Collectors.joining(", ")))));
    }
}
