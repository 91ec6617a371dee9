package ai.molecule.cli.top;

import ai.molecule.cli.Console;
import ai.molecule.cli.approvals.AskedApproval;
import ai.molecule.cli.approvals.Decider;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * All that is known of a platform and of what somebody is looking at. Hears events, answers and keys, and knows neither a network nor a
 * terminal. To be used by one thread. Bounded by what its parts keep.
 */
final class Dashboard {

    /** The parts of the screen, in the order in which Tab goes through them. */
    enum Part {
        AGENTS("agents"),
        EVENTS("events"),
        AGENT("agent"),
        NEEDS("waits for you"),
        HEALTH("health");

        private final String title;

        Part(String title) {
            this.title = title;
        }

        String title() {
            return title;
        }
    }

    /** What the keys go to while they are no commands. */
    sealed interface Prompt {

        /** @param part whose lines are filtered as it is typed */
        record Filter(Part part) implements Prompt {}

        /** @param agent who shall get it */
        record Message(String agent, String name, String text) implements Prompt {}

        /** A question that is answered by y. */
        record Question(String text, Wish wish) implements Prompt {}

        /** All keys, on the whole screen. */
        record Help() implements Prompt {}
    }

    /** A sentence for whoever looks, until a key is pressed. */
    record Notice(String text, boolean isBad) {}

    private static final int MESSAGE_MAX_CHARS = 4_000;
    private static final int FILTER_MAX_CHARS = 100;

    /** How wide a question may be that is approved here: the narrowest screen shows it whole. Longer ones are read and approved elsewhere. */
    static final int APPROVAL_MAX_COLUMNS = 400;

    /** Said of a screen of which nobody has told yet how high its parts are. */
    private static final int PAGE = 10;

    private final String platform;
    private final InstantSource clock;
    private final Organisation organisation = new Organisation();
    private final Happenings happenings;
    private final Needs needs = new Needs();
    private Decider decider = Decider.UNKNOWN;
    private final Health health = new Health();
    private Particulars particulars = Particulars.NONE;

    private boolean isLive;
    private @Nullable Instant lost;
    private String why = "";

    private Part part = Part.AGENTS;
    private Part lower = Part.EVENTS;
    private @Nullable Prompt prompt;
    private @Nullable Notice notice;
    private String chosen = "";
    private int chosenAt;
    private int need;
    private int healthFrom;
    private int agentFrom;
    private int back;

    Dashboard(String platform, InstantSource clock, ZoneId zone) {
        this.platform = platform;
        this.clock = clock;
        this.happenings = new Happenings(zone);
    }

    // --- what comes from the platform

    void agents(JsonArray all) {
        organisation.replace(all);
    }

    void usage(JsonArray rows) {
        organisation.costs(rows);
    }

    void inbox(JsonObject inbox) {
        needs.replace(inbox);
        need = Math.clamp(need, 0, Math.max(0, needs.rows().size() - 1));
    }

    /** Who decides here. */
    void decidesAs(Decider whom) {
        decider = whom;
    }

    void liveness(JsonObject liveness) {
        health.replace(liveness);
    }

    void livenessIsUnknown(String because) {
        health.isUnknown(because);
    }

    void particulars(Particulars read) {
        if (read.agent().equals(chosen())) {
            particulars = read;
        }
    }

    /** An event as a socket or the event log tells it; {@code words}: what was said in it, where that is not plain in its payload. */
    void hear(String at, String type, String agent, JsonObject payload, String words) {
        organisation.hear(type, agent, payload);
        if (!words.isBlank()) {
            organisation.says(agent, words);
        }
        happened(at, type, agent, payload, words);
    }

    /** One that was there before, which changes nobody any more. */
    void happened(String at, String type, String agent, JsonObject payload, String words) {
        int before = back > 0 ? events().size() : 0;
        happenings.add(at, type, agent, payload, words);
        if (back > 0) {
            back += Math.max(0, events().size() - before); // who reads what was goes on reading it
        }
    }

    void isLive() {
        if (lost != null) {
            happenings.note(clock.instant(), "live again", platform);
        }
        isLive = true;
        lost = null;
    }

    void isLost(String because) {
        if (lost == null) {
            lost = clock.instant();
            happenings.note(clock.instant(), "not live", because);
        }
        isLive = false;
        why = because;
    }

    void tell(String text, boolean isBad) {
        notice = new Notice(Seat.shown(text), isBad);
    }

    void decided(Needs.Need decided) {
        needs.decided(decided.id());
        need = Math.clamp(need, 0, Math.max(0, needs.rows().size() - 1));
    }

    // --- what comes from the keys

    /** What is wanted done, if anything; all else is seen on the screen. */
    Optional<Wish> press(Key key) {
        if (key.kind() == Key.Kind.LEAVE) {
            return Optional.of(new Wish.Leave());
        }
        if (key.kind() == Key.Kind.REDRAW) {
            return Optional.of(new Wish.Redraw());
        }
        if (key.kind() == Key.Kind.OTHER) {
            return Optional.empty();
        }
        notice = null;
        return switch (prompt) {
            case null -> command(key);
            case Prompt.Filter filter -> filtering(filter, key);
            case Prompt.Message message -> writing(message, key);
            case Prompt.Question question -> answering(question, key);
            case Prompt.Help help -> {
                prompt = null;
                yield Optional.empty();
            }
        };
    }

    private Optional<Wish> command(Key key) {
        switch (key.kind()) {
            case UP -> move(-1);
            case DOWN -> move(1);
            case PAGE_UP -> move(-PAGE);
            case PAGE_DOWN -> move(PAGE);
            case HOME -> move(-Integer.MAX_VALUE / 2);
            case END -> move(Integer.MAX_VALUE / 2);
            case LEFT -> chosenSeat().ifPresent(seat -> organisation.fold(seat.id(), true));
            case RIGHT -> chosenSeat().ifPresent(seat -> organisation.fold(seat.id(), false));
            case TAB -> focus(Part.values()[(part.ordinal() + 1) % Part.values().length]);
            case BACK_TAB -> focus(Part.values()[(part.ordinal() + Part.values().length - 1) % Part.values().length]);
            case ENTER -> enter();
            case ESCAPE -> escape();
            case TYPED -> {
                return typed(Character.toString(key.codePoint()));
            }
            default -> {} // pasted, or of a text only
        }
        return Optional.empty();
    }

    private Optional<Wish> typed(String typed) {
        switch (typed) {
            case "k" -> move(-1);
            case "j" -> move(1);
            case "1" -> focus(Part.AGENTS);
            case "2" -> focus(Part.EVENTS);
            case "3" -> focus(Part.AGENT);
            case "4" -> focus(Part.NEEDS);
            case "5" -> focus(Part.HEALTH);
            case " " -> chosenSeat().ifPresent(seat -> organisation.fold(seat.id(), !organisation.isFolded(seat.id())));
            case "f" -> back = 0;
            case "/" -> prompt = new Prompt.Filter(part == Part.EVENTS ? Part.EVENTS : Part.AGENTS);
            case "?", "h" -> prompt = new Prompt.Help();
            case "q" -> {
                return Optional.of(new Wish.Leave());
            }
            case "t" -> withChosen(seat -> prompt = new Prompt.Message(seat.id(), seat.name(), ""));
            case "p" -> {
                return change("pause");
            }
            case "r" -> {
                return change("resume");
            }
            case "R" -> {
                return change("restart");
            }
            case "d" -> withChosen(this::askToRemove);
            case "a" -> askToDecide("approved");
            case "x" -> askToDecide("denied");
            default -> {} // no command
        }
        return Optional.empty();
    }

    private Optional<Wish> change(String verb) {
        var seat = chosenSeat();
        if (seat.isEmpty()) {
            tell("There is no agent.", true);
        }
        return seat.map(each -> new Wish.Change(verb, each.id(), each.name()));
    }

    private void withChosen(Consumer<Seat> what) {
        chosenSeat().ifPresentOrElse(what, () -> tell("There is no agent.", true));
    }

    private void askToRemove(Seat seat) {
        int below = organisation.below(seat.id());
        prompt = new Prompt.Question(
                below == 0
                        ? "Delete %s?".formatted(seat.name())
                        : "Delete %s and %s below it?".formatted(seat.name(), below == 1 ? "the one" : "the " + below),
                new Wish.Remove(seat.id(), seat.name(), below > 0));
    }

    /** What is chosen among what waits, else what the chosen agent asks. */
    private void askToDecide(String decision) {
        var asked = part == Part.NEEDS ? chosenNeed() : needs.decisionOf(chosen());
        if (asked.isEmpty() || !asked.get().isDecision()) {
            tell(part == Part.NEEDS ? "That is nothing to approve or deny." : "It asks for no decision.", true);
            return;
        }
        var need = asked.get();
        String name = organisation.nameOf(need.agent());
        boolean approves = decision.equals("approved");
        var refusal = refusal(need, approves);
        if (refusal.isPresent()) {
            tell(refusal.get(), true);
            return;
        }
        String question = "%s what %s asks: %s%s%s"
                .formatted(
                        approves ? "Approve" : "Deny",
                        name,
                        need.text(),
                        need.reason().isEmpty() ? "" : ", because " + need.reason(),
                        need.shown().isEmpty() ? "" : ", with " + need.shown());
        boolean all = need.asked().map(AskedApproval::isWhole).orElse(false);
        if (approves && (!all || TextLine.width(question) > APPROVAL_MAX_COLUMNS)) {
            tell(
                    Console.called("What %s asks does not fit here; ./molecule inbox shows it whole, and how to decide."
                            .formatted(name)),
                    true);
            return;
        }
        prompt = new Prompt.Question(question, new Wish.Decide(need, decision, name));
    }

    /** Why it is not theirs to decide so, by the rule, and for whom it waits. */
    private Optional<String> refusal(Needs.Need need, boolean approves) {
        return need.deciders()
                .flatMap(ruled -> decider.whyNot(ruled)
                        .or(() -> approves && ruled.isApprovedBy(decider.login())
                                ? Optional.of("You approved this already.")
                                : Optional.empty())
                        .map(why -> "%s Status: %s.".formatted(why, Seat.shown(ruled.waits()))));
    }

    private Optional<Wish> filtering(Prompt.Filter filter, Key key) {
        boolean ofEvents = filter.part() == Part.EVENTS;
        String before = ofEvents ? happenings.search() : organisation.filter();
        switch (key.kind()) {
            case ENTER -> prompt = null;
            case ESCAPE -> {
                prompt = null;
                filter(ofEvents, "");
            }
            case UP -> move(-1);
            case DOWN -> move(1);
            default -> filter(ofEvents, edited(before, key, FILTER_MAX_CHARS));
        }
        return Optional.empty();
    }

    private void filter(boolean ofEvents, String words) {
        if (ofEvents) {
            happenings.search(words);
            back = 0;
        } else if (!words.equals(organisation.filter())) {
            organisation.filter(words);
            organisation.rows().stream()
                    .filter(Organisation.Row::found)
                    .findFirst()
                    .filter(row -> !words.isBlank())
                    .ifPresent(row -> choose(row.seat().id()));
        }
    }

    private Optional<Wish> writing(Prompt.Message message, Key key) {
        switch (key.kind()) {
            case ESCAPE -> prompt = null;
            case ENTER -> {
                if (!message.text().isBlank()) {
                    prompt = null;
                    tell("Said to %s; its answer is told here.".formatted(message.name()), false);
                    return Optional.of(new Wish.Say(message.agent(), message.name(), message.text()));
                }
            }
            default ->
                prompt = new Prompt.Message(
                        message.agent(), message.name(), edited(message.text(), key, MESSAGE_MAX_CHARS));
        }
        return Optional.empty();
    }

    private Optional<Wish> answering(Prompt.Question question, Key key) {
        if (key.kind() == Key.Kind.PASTED) {
            return Optional.empty();
        }
        prompt = null;
        return key.kind() == Key.Kind.TYPED && (key.codePoint() == 'y' || key.codePoint() == 'Y')
                ? Optional.of(question.wish())
                : Optional.empty();
    }

    private static String edited(String before, Key key, int charsMax) {
        return switch (key.kind()) {
            case TYPED, PASTED -> before.length() < charsMax ? before + Character.toString(key.codePoint()) : before;
            case BACKSPACE ->
                before.isEmpty() ? before : before.substring(0, before.offsetByCodePoints(before.length(), -1));
            case CLEAR -> "";
            default -> before;
        };
    }

    private void focus(Part next) {
        part = next;
        if (next != Part.AGENTS) {
            lower = next;
        }
    }

    /** Of a row: what there is to see about it. */
    private void enter() {
        if (part == Part.NEEDS) {
            chosenNeed().ifPresent(row -> choose(row.agent()));
        }
        focus(part == Part.AGENT ? Part.AGENTS : Part.AGENT);
    }

    private void escape() {
        if (part == Part.EVENTS && !happenings.search().isEmpty()) {
            filter(true, "");
        } else if (!organisation.filter().isEmpty()) {
            filter(false, "");
        } else {
            part = Part.AGENTS;
        }
    }

    private void move(int by) {
        switch (part) {
            case AGENTS -> {
                var rows = organisation.rows();
                if (!rows.isEmpty()) {
                    choose(rows.get(Math.clamp((long) at() + by, 0, rows.size() - 1))
                            .seat()
                            .id());
                }
            }
            case EVENTS ->
                back = Math.clamp(
                        (long) back - by,
                        0,
                        Math.max(0, happenings.shown(organisation).size() - 1));
            case AGENT -> agentFrom = Math.clamp((long) agentFrom + by, 0, 2 * Particulars.ROWS_MAX);
            case NEEDS ->
                need = Math.clamp((long) need + by, 0, Math.max(0, needs.rows().size() - 1));
            case HEALTH ->
                healthFrom = Math.clamp(
                        (long) healthFrom + by, 0, Math.max(0, health.parts().size() - 1));
        }
    }

    private void choose(String agent) {
        if (!agent.equals(chosen)) {
            chosen = agent;
            agentFrom = 0;
            particulars = Particulars.NONE;
        }
        at();
    }

    // --- what is seen

    /** The row of the agent that the keys are about; where it has gone, whoever stands there now. */
    int at() {
        var rows = organisation.rows();
        if (chosenAt >= rows.size() || !rows.get(chosenAt).seat().id().equals(chosen)) {
            int found = -1;
            for (int i = 0; i < rows.size() && found < 0; i++) {
                found = rows.get(i).seat().id().equals(chosen) ? i : -1;
            }
            chosenAt = found >= 0 ? found : Math.clamp(chosenAt, 0, Math.max(0, rows.size() - 1));
        }
        return chosenAt;
    }

    /** The id of that agent, empty where there is none. */
    String chosen() {
        return chosenSeat().map(Seat::id).orElse("");
    }

    Optional<Seat> chosenSeat() {
        var rows = organisation.rows();
        return rows.isEmpty() ? Optional.empty() : Optional.of(rows.get(at()).seat());
    }

    Optional<Needs.Need> chosenNeed() {
        var rows = needs.rows();
        return rows.isEmpty() ? Optional.empty() : Optional.of(rows.get(Math.min(need, rows.size() - 1)));
    }

    int needAt() {
        return need;
    }

    int healthFrom() {
        return healthFrom;
    }

    int agentFrom() {
        return agentFrom;
    }

    /** How many of the newest events are below what is shown; 0 where they are followed. */
    int back() {
        return back;
    }

    String platform() {
        return platform;
    }

    boolean live() {
        return isLive;
    }

    /** Since when it is not. */
    Optional<Instant> lost() {
        return Optional.ofNullable(lost);
    }

    String why() {
        return why;
    }

    Part part() {
        return part;
    }

    /** The part that is shown below the agents where there is room for one. */
    Part lower() {
        return lower;
    }

    @Nullable
    Prompt prompt() {
        return prompt;
    }

    Optional<Notice> notice() {
        return Optional.ofNullable(notice);
    }

    Organisation organisation() {
        return organisation;
    }

    Happenings happenings() {
        return happenings;
    }

    List<Happenings.Happening> events() {
        return happenings.shown(organisation);
    }

    Needs needs() {
        return needs;
    }

    Health health() {
        return health;
    }

    Particulars particulars() {
        return particulars.agent().equals(chosen()) ? particulars : Particulars.NONE;
    }
}
