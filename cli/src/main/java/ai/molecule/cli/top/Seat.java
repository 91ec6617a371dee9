package ai.molecule.cli.top;

import ai.molecule.cli.Printable;
import ai.molecule.common.text.VisibleText;
import io.vertx.core.json.JsonObject;
import java.util.Locale;
import java.util.Objects;

/** One agent as it is now. To be used by one thread; every text in it can be shown. */
final class Seat {

    static final int TEXT_MAX_CHARS = 2_000;

    private static final double MICROS = 1_000_000;
    private static final double CENTS = 100;

    private final String id;
    private String name;
    private String parent = "";
    private String status = "";
    private String runtime = "";
    private String task = "";
    private String error = "";
    private String words = "";
    private int active;
    private int most = 1;
    private int queued;
    private double spent;
    private double budget;
    private boolean quarantined;
    private boolean stranger;

    Seat(String id) {
        this.id = id;
        this.name = id.substring(0, Math.min(id.length(), 8));
    }

    /** A row of {@code GET /workspaces}. */
    void read(JsonObject row) {
        name = text(row, "name", name);
        parent = text(row, "parent_id", "");
        status = text(row, "status", "");
        runtime = text(row, "runtime", "");
        task = text(row, "current_task", "");
        error = text(row, "last_sample_error", "");
        active = number(row, "active_tasks");
        most = Math.max(1, number(row, "max_concurrent_tasks"));
        spent = Math.max(spent, number(row, "monthly_spend") / CENTS);
        budget = number(row, "budget_limit") / CENTS;
        quarantined = Boolean.TRUE.equals(row.getValue("quarantined"));
        stranger = Boolean.FALSE.equals(row.getValue("admitted"));
    }

    /** Those members that an event told. */
    void update(JsonObject said) {
        name = text(said, "name", name);
        runtime = text(said, "runtime", runtime);
        if (said.containsKey("parent_id")) {
            parent = text(said, "parent_id", "");
        }
        if (said.getValue("status") instanceof String now) {
            is(now);
        }
        if (Boolean.FALSE.equals(said.getValue("admitted"))) {
            stranger = true;
        }
    }

    void is(String newStatus) {
        status = Printable.line(newStatus);
        if (!status.equals("failed") && !status.equals("degraded")) {
            error = "";
        }
        if (!isUp()) {
            active = 0;
            task = "";
        }
    }

    void isWrong(String newStatus, String why) {
        is(newStatus);
        error = shown(why);
    }

    void works(int tasks, String at) {
        active = tasks;
        task = tasks == 0 ? "" : shown(at);
    }

    void works(int tasks) {
        works(tasks, task);
    }

    void movesUnder(String newParent) {
        parent = newParent;
    }

    void says(String newWords) {
        if (!newWords.isBlank()) {
            words = shown(newWords);
        }
    }

    void waits(int messages) {
        queued = Math.max(0, queued + messages);
    }

    void costs(long micros) {
        spent = Math.max(spent, micros / MICROS);
    }

    void isCutOff(boolean cutOff) {
        quarantined = cutOff;
    }

    String id() {
        return id;
    }

    String name() {
        return name;
    }

    /** The id of who leads it, empty at the top. */
    String parent() {
        return parent;
    }

    /** In words of people. */
    String status() {
        return quarantined ? "quarantined" : stranger ? "not admitted" : status.replace('_', ' ');
    }

    String runtime() {
        return runtime;
    }

    String task() {
        return task;
    }

    String error() {
        return error;
    }

    String words() {
        return words;
    }

    int active() {
        return active;
    }

    int queued() {
        return queued;
    }

    boolean isUp() {
        return status.equals("online") || status.equals("degraded");
    }

    boolean isBroken() {
        return status.equals("failed") || status.equals("degraded") || status.equals("offline") || quarantined;
    }

    boolean isStarting() {
        return status.equals("provisioning");
    }

    double spent() {
        return spent;
    }

    /** In dollars a month; 0 for no limit. */
    double budget() {
        return budget;
    }

    /** How much of what it may it does at once, and what waits behind that. */
    String load() {
        return queued == 0 ? active + "/" + most : "%d/%d+%d".formatted(active, most, queued);
    }

    /** Whether each of these words, in lower case, stands somewhere in it. */
    boolean has(String[] wanted) {
        String all = (name + " " + status() + " " + task + " " + runtime + " " + id).toLowerCase(Locale.ROOT);
        for (String word : wanted) {
            if (!all.contains(word)) {
                return false;
            }
        }
        return true;
    }

    static String shown(String text) {
        return VisibleText.line(
                (text.length() > TEXT_MAX_CHARS ? text.substring(0, TEXT_MAX_CHARS) : text).replaceAll("\\s+", " "));
    }

    private static String text(JsonObject row, String member, String otherwise) {
        return row.getValue(member) instanceof String said ? shown(said) : Objects.requireNonNull(otherwise);
    }

    /** As it can be shown; empty where it is no text. */
    static String said(JsonObject row, String member) {
        return text(row, member, "");
    }

    static int number(JsonObject row, String member) {
        return row.getValue(member) instanceof Number said ? said.intValue() : 0;
    }
}
