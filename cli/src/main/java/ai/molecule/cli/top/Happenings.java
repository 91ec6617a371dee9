package ai.molecule.cli.top;

import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** What happened, oldest first; of much the newest. */
final class Happenings {

    static final int KEPT_MAX = 5_000;

    /** Say that something is as it was, or are told by another event. */
    private static final Set<String> QUIET =
            Set.of("WORKSPACE_HEARTBEAT", "TASK_UPDATED", "INBOX_CHANGED", "VIEW", "VIEW_DIGEST", "APPROVAL_DECIDED");

    /** Members of payloads that people read first. */
    private static final List<String> WORDS = List.of(
            "action",
            "question",
            "preview",
            "task_preview",
            "summary",
            "message",
            "error",
            "sample_error",
            "status",
            "name");

    private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);

    /**
     * One of them, as it can be shown.
     *
     * @param what in words of people
     * @param agent the id of whom it is about, empty for nobody in particular
     */
    record Happening(String clock, String what, String agent, String words, Tone tone) {}

    private final ZoneId zone;
    private final Deque<Happening> kept = new ArrayDeque<>();
    private String search = "";

    Happenings(ZoneId zone) {
        this.zone = zone;
    }

    void add(String at, String type, String agent, JsonObject payload, String words) {
        if (!QUIET.contains(type)) {
            String what = Seat.shown(type.toLowerCase(Locale.ROOT)
                    .replaceFirst("^workspace_", "")
                    .replaceFirst("_logged$", "")
                    .replace('_', ' '));
            String more = Seat.shown(words.isBlank() ? words(payload) : words);
            add(new Happening(clock(at), what, agent, more.equals(what) ? "" : more, tone(type)));
        }
    }

    /** Something of this command's own. */
    void note(Instant at, String what, String words) {
        add(new Happening(CLOCK.withZone(zone).format(at), what, "", Seat.shown(words), Tone.BUSY));
    }

    private void add(Happening happening) {
        kept.addLast(happening);
        if (kept.size() > KEPT_MAX) {
            kept.removeFirst();
        }
    }

    String search() {
        return search;
    }

    void search(String words) {
        search = words;
    }

    /** Those that are looked for, all where nothing is. */
    List<Happening> shown(Organisation organisation) {
        if (search.isBlank()) {
            return new ArrayList<>(kept);
        }
        String[] wanted = search.toLowerCase(Locale.ROOT).strip().split("\\s+");
        return kept.stream()
                .filter(each -> has(each, organisation.nameOf(each.agent()), wanted))
                .toList();
    }

    private static boolean has(Happening happening, String name, String[] wanted) {
        String all = (happening.what() + " " + name + " " + happening.words()).toLowerCase(Locale.ROOT);
        for (String word : wanted) {
            if (!all.contains(word)) {
                return false;
            }
        }
        return true;
    }

    /** At the time of whoever looks. */
    String clock(String at) {
        try {
            return CLOCK.withZone(zone).format(Instant.parse(at));
        } catch (DateTimeParseException none) {
            return "        ";
        }
    }

    private static String words(JsonObject payload) {
        for (String member : WORDS) {
            if (payload.getValue(member) instanceof String text && !text.isBlank()) {
                return text;
            }
        }
        return "";
    }

    private static Tone tone(String type) {
        if (type.contains("FAILED")
                || type.endsWith("_DEGRADED")
                || type.endsWith("_OFFLINE")
                || type.endsWith("DENIED")) {
            return Tone.BAD;
        }
        if (type.startsWith("APPROVAL_REQUESTED") || type.equals("TASK_WAITING") || type.endsWith("_LEVEL")) {
            return Tone.BUSY;
        }
        return type.endsWith("_ONLINE") || type.endsWith("_COMPLETE") || type.endsWith("APPROVED")
                ? Tone.GOOD
                : Tone.PLAIN;
    }
}
