package ai.molecule.cli.top;

import ai.molecule.cli.Console;
import ai.molecule.cli.top.Dashboard.Part;
import ai.molecule.cli.top.Dashboard.Prompt;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** How a dashboard looks in so many columns and rows: a function from the one to lines, of exactly that many columns each. */
final class Drawing {

    static final int COLUMNS_MIN = 60;
    static final int ROWS_MIN = 12;

    /** From these on everything is shown at once. */
    private static final int WIDE_COLUMNS = 120;

    private static final int WIDE_ROWS = 30;

    /** At 58 columns enough for {@link Dashboard#APPROVAL_MAX_COLUMNS}. */
    private static final int QUESTION_LINES_MAX = 8;

    private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);

    private static final List<String[]> KEYS = List.of(
            new String[] {"↑ ↓ PgUp PgDn", "choose, or scroll, in the part that has the keys"},
            new String[] {"Tab, 1 to 5", "give the keys to another part: agents, events, agent, waits for you, health"},
            new String[] {"Enter", "what there is to see of the agent that is chosen"},
            new String[] {"← → Space", "fold those below it away, and back"},
            new String[] {"/", "filter as you type: agents, or in the events those; Esc takes it back"},
            new String[] {"f", "follow the events again after scrolling"},
            new String[] {"", ""},
            new String[] {"t", "talk to the agent that is chosen"},
            new String[] {"p  r  R", "pause, resume, restart it"},
            new String[] {"d", "delete it; asks first"},
            new String[] {"a  x", "approve, deny what it asks, or what is chosen of what waits for you; asks first"},
            new String[] {"", ""},
            new String[] {"q, Ctrl-C", "leave; Ctrl-L draws everything anew"});

    private final Dashboard seen;
    private final ZoneId zone;

    Drawing(Dashboard seen, ZoneId zone) {
        this.seen = seen;
        this.zone = zone;
    }

    List<TextLine> draw(int columns, int rows) {
        var lines = new ArrayList<TextLine>();
        if (columns < COLUMNS_MIN || rows < ROWS_MIN) {
            lines.add(TextLine.column(
                    Tone.PLAIN, "Needs %d columns, %d rows.".formatted(COLUMNS_MIN, ROWS_MIN), Math.max(columns, 0)));
        } else {
            var feet = feet(columns);
            int body = rows - 1 - feet.size();
            lines.add(head(columns));
            if (seen.prompt() instanceof Prompt.Help) {
                help(lines, columns);
            } else if (columns >= WIDE_COLUMNS && rows >= WIDE_ROWS) {
                wide(lines, columns, body);
            } else {
                narrow(lines, columns, body);
            }
            fill(lines, columns, 1 + body);
            lines.subList(1 + body, lines.size()).clear();
            lines.addAll(feet);
        }
        fill(lines, columns, rows);
        return lines.subList(0, rows);
    }

    // --- the two arrangements

    private void narrow(List<TextLine> lines, int columns, int rows) {
        int most = Math.max(rows / 2, Math.min(5, rows));
        int above = Math.min(most, seen.organisation().rows().size() + 3);
        agents(lines, columns, above);
        if (rows - above > 1) {
            part(lines, seen.lower(), columns, rows - above);
        }
    }

    private void wide(List<TextLine> lines, int columns, int rows) {
        int left = columns * 58 / 100;
        int right = columns - left - 3;
        var here = new ArrayList<TextLine>();
        int agents = Math.clamp(seen.organisation().rows().size() + 3L, rows / 3, rows * 6 / 10);
        agents(here, left, agents);
        part(here, Part.EVENTS, left, rows - agents);
        var there = new ArrayList<TextLine>();
        int needs = Math.clamp(seen.needs().rows().size() + 2L, 3, rows / 4);
        int health = Math.clamp(seen.health().parts().size() + 1L, 5, rows / 4);
        part(there, Part.NEEDS, right, needs);
        part(there, Part.AGENT, right, rows - needs - health);
        part(there, Part.HEALTH, right, health);
        for (int row = 0; row < rows; row++) {
            lines.add(here.get(row).then(Tone.FAINT, " │ ").then(there.get(row)));
        }
    }

    /** Exactly so many lines. */
    private void part(List<TextLine> lines, Part part, int columns, int rows) {
        int end = lines.size() + rows;
        switch (part) {
            case AGENTS -> agents(lines, columns, rows);
            case EVENTS -> events(lines, columns, rows);
            case AGENT -> agent(lines, columns, rows);
            case NEEDS -> needs(lines, columns, rows);
            case HEALTH -> health(lines, columns, rows);
        }
        fill(lines, columns, end);
    }

    private static void fill(List<TextLine> lines, int columns, int end) {
        while (lines.size() < end) {
            lines.add(TextLine.column(Tone.PLAIN, "", columns));
        }
    }

    // --- the line at the top and the one at the bottom

    private TextLine head(int columns) {
        var everybody = seen.organisation().everybody();
        long busy = everybody.stream().filter(seat -> seat.active() > 0).count();
        long broken = everybody.stream().filter(Seat::isBroken).count();
        double spent = everybody.stream().mapToDouble(Seat::spent).sum();
        var right = TextLine.of(Tone.BAR, agents(everybody.size()))
                .then(Tone.BAR, busy == 0 ? "" : "  %d at work".formatted(busy))
                .then(Tone.BAR_WARNING, broken == 0 ? "" : "  %d broken".formatted(broken))
                .then(Tone.BAR, spent == 0 ? "" : "  " + dollars(spent))
                .then(Tone.BAR_WARNING, waiting())
                .then(Tone.BAR, "  ")
                .then(seen.live() ? Tone.BAR : Tone.BAR_WARNING, state())
                .then(Tone.BAR, " ");
        String name = columns >= 100 ? " Molecule  " : " ";
        int free = columns - right.width();
        return free < 8
                ? right.fit(columns)
                : TextLine.column(Tone.BAR, name + seen.platform(), free - 1)
                        .then(Tone.BAR, " ")
                        .then(right);
    }

    private static String agents(int many) {
        return many == 1 ? "1 agent" : many + " agents";
    }

    private String waiting() {
        int waiting = seen.needs().waiting();
        return waiting == 0 ? "" : "  %d for you".formatted(waiting);
    }

    private String state() {
        return seen.live()
                ? "live"
                : seen.lost()
                        .map(since -> "not live since " + CLOCK.withZone(zone).format(since))
                        .orElse("connecting");
    }

    /** One line, but for what is to be decided: nobody answers what they cannot read whole. */
    private List<TextLine> feet(int columns) {
        if (!(seen.prompt() instanceof Prompt.Question question)) {
            return List.of(foot(columns));
        }
        var lines = new ArrayList<TextLine>();
        for (String line : TextLine.whole(question.text(), columns - 2, QUESTION_LINES_MAX)) {
            lines.add(TextLine.column(Tone.BAR_WARNING, " " + line, columns));
        }
        lines.add(TextLine.column(Tone.BAR_WARNING, " y: yes    any other key: no", columns));
        return lines;
    }

    private TextLine foot(int columns) {
        return switch (seen.prompt()) {
            case Prompt.Filter filter ->
                input(
                        filter.part() == Part.EVENTS ? " Events with: " : " Agents with: ",
                        filter.part() == Part.EVENTS
                                ? seen.happenings().search()
                                : seen.organisation().filter(),
                        "Enter keeps it, Esc takes it back",
                        columns);
            case Prompt.Message message ->
                input(" To %s: ".formatted(message.name()), message.text(), "Enter sends, Esc does not", columns);
            case Prompt.Question question -> TextLine.EMPTY; // feet
            case Prompt.Help help -> TextLine.column(Tone.BAR, " Any key goes back", columns);
            case null ->
                seen.notice()
                        .map(notice -> TextLine.column(
                                notice.isBad() ? Tone.BAR_WARNING : Tone.BAR, " " + notice.text(), columns))
                        .orElseGet(() -> TextLine.column(Tone.BAR, " " + hints(columns), columns));
        };
    }

    /** The end of what is typed is always seen. */
    private static TextLine input(String asked, String typed, String how, int columns) {
        String hint = columns >= WIDE_COLUMNS ? how + " " : "";
        int free = columns - TextLine.width(asked) - hint.length() - 2;
        int from = 0;
        while (TextLine.width(typed.substring(from)) > free) {
            from = typed.offsetByCodePoints(from, 1);
        }
        return TextLine.of(Tone.BAR, asked)
                .then(Tone.STRONG, typed.substring(from))
                .then(Tone.BAR_WARNING, "▏")
                .fit(columns - hint.length())
                .then(Tone.BAR, hint);
    }

    private String hints(int columns) {
        String about = seen.part() == Part.EVENTS
                ? "/ search  f follow"
                : seen.part() == Part.NEEDS
                        ? "a approve  x deny  Enter who asks"
                        : "/ filter  t talk  p pause  r resume  R restart  d delete";
        return columns >= 100
                ? "Tab next part  " + about + (seen.part() == Part.NEEDS ? "" : "  a approve  x deny")
                        + "  ? help  q quit"
                : about + "  Tab  ? help  q quit";
    }

    private TextLine title(Part part, String more, int columns) {
        boolean has = seen.part() == part;
        String words = more.isEmpty() ? part.title() : part.title() + ", " + more;
        var line = TextLine.of(has ? Tone.ACCENT : Tone.FAINT, has ? "━━ " : "── ")
                .then(has ? Tone.ACCENT : Tone.STRONG, words)
                .then(has ? Tone.ACCENT : Tone.FAINT, " ");
        int free = columns - line.width();
        return free > 0 ? line.then(has ? Tone.ACCENT : Tone.FAINT, (has ? "━" : "─").repeat(free)) : line.fit(columns);
    }

    // --- agents

    private void agents(List<TextLine> lines, int columns, int rows) {
        int end = lines.size() + rows;
        var all = seen.organisation().rows();
        String filter = seen.organisation().filter();
        lines.add(title(
                Part.AGENTS,
                filter.isBlank()
                        ? ""
                        : "with %s: %d"
                                .formatted(
                                        filter,
                                        all.stream()
                                                .filter(Organisation.Row::found)
                                                .count()),
                columns));
        int name = Math.clamp(columns * 36L / 100, 16, 44);
        int status = 13;
        int load = 6;
        int money = 9;
        int task = columns - name - status - load - money - 4;
        lines.add(TextLine.column(Tone.FAINT, "AGENT", name)
                .then(Tone.FAINT, " ")
                .then(TextLine.column(Tone.FAINT, "STATUS", status))
                .then(Tone.FAINT, " ")
                .then(TextLine.column(Tone.FAINT, "TASK", task))
                .then(Tone.FAINT, " ")
                .then(TextLine.rightColumn(Tone.FAINT, "TASKS", load))
                .then(Tone.FAINT, " ")
                .then(TextLine.rightColumn(Tone.FAINT, "SPENT", money)));
        int room = end - lines.size();
        if (all.isEmpty()) {
            lines.add(TextLine.column(
                    Tone.FAINT,
                    filter.isBlank()
                            ? Console.called("Nobody is there yet; ./molecule create makes an agent.")
                            : "Nobody.",
                    columns));
        }
        int from = Math.clamp(seen.at() - room / 2L, 0, Math.max(0, all.size() - room));
        for (int at = from; at < all.size() && lines.size() < end; at++) {
            var row = all.get(at);
            var seat = row.seat();
            var line = TextLine.of(Tone.FAINT, row.before())
                    .then(row.found() ? Tone.PLAIN : Tone.FAINT, seat.name())
                    .then(Tone.FAINT, row.folded() && row.below() > 0 ? " +" + row.below() : "")
                    .fit(name)
                    .then(Tone.PLAIN, " ")
                    .then(TextLine.column(tone(seat), seat.status(), status))
                    .then(Tone.PLAIN, " ")
                    .then(TextLine.column(
                            seat.task().isEmpty() ? Tone.FAINT : Tone.PLAIN,
                            seat.task().isEmpty() ? seat.error() : seat.task(),
                            task))
                    .then(Tone.PLAIN, " ")
                    .then(TextLine.rightColumn(seat.active() > 0 ? Tone.BUSY : Tone.FAINT, seat.load(), load))
                    .then(Tone.PLAIN, " ")
                    .then(TextLine.rightColumn(
                            isDear(seat) ? Tone.BAD : Tone.PLAIN,
                            seat.spent() == 0 ? "" : dollars(seat.spent()),
                            money));
            lines.add(at == seen.at() ? line.in(seen.part() == Part.AGENTS ? Tone.CHOSEN : Tone.REMEMBERED) : line);
        }
        fill(lines, columns, end);
    }

    private static boolean isDear(Seat seat) {
        return seat.budget() > 0 && seat.spent() >= 0.8 * seat.budget();
    }

    private static Tone tone(Seat seat) {
        if (seat.isBroken()) {
            return Tone.BAD;
        }
        if (seat.isStarting()) {
            return Tone.BUSY;
        }
        return seat.isUp() ? Tone.GOOD : Tone.FAINT;
    }

    private static String dollars(double amount) {
        return String.format(Locale.ROOT, amount >= 1_000 ? "$%.0f" : amount >= 0.01 ? "$%.2f" : "$%.4f", amount);
    }

    // --- events

    private void events(List<TextLine> lines, int columns, int rows) {
        int end = lines.size() + rows;
        var all = seen.events();
        String search = seen.happenings().search();
        int last = Math.max(0, all.size() - Math.min(seen.back(), Math.max(0, all.size() - (rows - 1))));
        String state = seen.back() == 0 ? "following" : "%d newer below".formatted(all.size() - last);
        lines.add(title(
                Part.EVENTS,
                search.isBlank() ? state : "with %s: %d, %s".formatted(search, all.size(), state),
                columns));
        int name = Math.clamp(columns * 22L / 100, 12, 24);
        for (var event : all.subList(Math.max(0, last - rows + 1), last)) {
            lines.add(TextLine.of(Tone.FAINT, event.clock() + "  ")
                    .then(TextLine.column(event.tone(), event.what(), 20))
                    .then(Tone.PLAIN, " ")
                    .then(TextLine.column(
                            Tone.PLAIN,
                            event.agent().isEmpty() ? "" : seen.organisation().nameOf(event.agent()),
                            name))
                    .then(Tone.PLAIN, " ")
                    .then(Tone.PLAIN, event.words())
                    .fit(columns));
        }
        if (all.isEmpty()) {
            lines.add(
                    TextLine.column(Tone.FAINT, search.isBlank() ? "Nothing has happened yet." : "Nothing.", columns));
        }
        fill(lines, columns, end);
    }

    // --- one agent

    private void agent(List<TextLine> lines, int columns, int rows) {
        int end = lines.size() + rows;
        var chosen = seen.chosenSeat();
        lines.add(title(Part.AGENT, chosen.map(Seat::name).orElse(""), columns));
        if (chosen.isPresent()) {
            var about = about(chosen.get(), columns);
            int from = Math.clamp(seen.agentFrom(), 0, Math.max(0, about.size() - (rows - 1)));
            lines.addAll(about.subList(from, Math.min(about.size(), from + rows - 1)));
        }
        fill(lines, columns, end);
    }

    private List<TextLine> about(Seat seat, int columns) {
        var lines = new ArrayList<TextLine>();
        lines.add(TextLine.of(tone(seat), seat.status())
                .then(Tone.PLAIN, "  " + seat.runtime())
                .then(Tone.PLAIN, "  %s tasks".formatted(seat.load()))
                .then(
                        isDear(seat) ? Tone.BAD : Tone.PLAIN,
                        seat.spent() == 0 && seat.budget() == 0
                                ? ""
                                : "  %s%s this month"
                                        .formatted(
                                                dollars(seat.spent()),
                                                seat.budget() == 0 ? "" : " of " + dollars(seat.budget())))
                .then(Tone.FAINT, "  " + seat.id())
                .fit(columns));
        paragraph(lines, "is at", seat.task(), Tone.PLAIN, columns, 2);
        paragraph(
                lines,
                "asks",
                seen.needs().decisionOf(seat.id()).map(Needs.Need::text).orElse(""),
                Tone.BUSY,
                columns,
                2);
        paragraph(lines, "trouble", seat.error(), Tone.BAD, columns, 3);
        paragraph(lines, "last said", seat.words(), Tone.PLAIN, columns, 4);
        deeds(lines, "handed on", seen.particulars().delegations(), columns);
        deeds(lines, "did", seen.particulars().activity(), columns);
        return lines;
    }

    private static void paragraph(
            List<TextLine> lines, String name, String text, Tone tone, int columns, int linesMax) {
        boolean first = true;
        for (String line : text.isBlank() ? List.<String>of() : TextLine.wrapped(text, columns - 11, linesMax)) {
            lines.add(
                    TextLine.column(Tone.FAINT, first ? name : "", 11).then(TextLine.column(tone, line, columns - 11)));
            first = false;
        }
    }

    private void deeds(List<TextLine> lines, String name, List<Particulars.Deed> deeds, int columns) {
        boolean first = true;
        for (var deed : deeds) {
            lines.add(TextLine.column(Tone.FAINT, first ? name : "", 11)
                    .then(Tone.FAINT, seen.happenings().clock(deed.at()) + "  ")
                    .then(deed.isBad() ? Tone.BAD : Tone.PLAIN, deed.what() + " ")
                    .then(
                            Tone.STRONG,
                            deed.other().isEmpty() ? "" : seen.organisation().nameOf(deed.other()) + " ")
                    .then(Tone.PLAIN, deed.words())
                    .fit(columns));
            first = false;
        }
    }

    // --- what waits, and how the platform is

    private void needs(List<TextLine> lines, int columns, int rows) {
        int end = lines.size() + rows;
        var all = seen.needs().rows();
        lines.add(title(
                Part.NEEDS, all.isEmpty() ? "" : String.valueOf(seen.needs().waiting()), columns));
        if (all.isEmpty()) {
            lines.add(TextLine.column(Tone.FAINT, "Nothing waits for you.", columns));
        }
        int room = end - lines.size();
        int from = Math.clamp(seen.needAt() - room / 2L, 0, Math.max(0, all.size() - room));
        for (int at = from; at < all.size() && lines.size() < end; at++) {
            var need = all.get(at);
            var line = TextLine.column(
                            need.isDecision() ? Tone.BUSY : Tone.FAINT,
                            need.kind().replace('_', ' '),
                            15)
                    .then(Tone.STRONG, " " + seen.organisation().nameOf(need.agent()) + "  ")
                    .then(Tone.PLAIN, need.text())
                    .then(Tone.FAINT, need.reason().isEmpty() ? "" : "  because " + need.reason())
                    .fit(columns);
            boolean isChosen = at == seen.needAt() && seen.part() == Part.NEEDS;
            lines.add(isChosen ? line.in(Tone.CHOSEN) : line);
        }
        fill(lines, columns, end);
    }

    private void health(List<TextLine> lines, int columns, int rows) {
        int end = lines.size() + rows;
        var health = seen.health();
        lines.add(title(Part.HEALTH, health.bad() == 0 ? "" : "%d not well".formatted(health.bad()), columns));
        if (!health.unknown().isEmpty()) {
            lines.add(TextLine.column(Tone.FAINT, "Not known: " + health.unknown(), columns));
        }
        var parts = health.parts();
        int from = Math.clamp(seen.healthFrom(), 0, Math.max(0, parts.size() - (rows - 1)));
        int name = Math.clamp(columns * 40L / 100, 20, 36);
        for (var part : parts.subList(from, Math.min(parts.size(), from + rows - 1))) {
            lines.add(TextLine.of(part.isWell() ? Tone.GOOD : Tone.BAD, part.isWell() ? "ok   " : "bad  ")
                    .then(TextLine.column(part.isService() ? Tone.STRONG : Tone.PLAIN, part.name(), name))
                    .then(part.isWell() ? Tone.FAINT : Tone.BAD, " " + part.says())
                    .fit(columns));
        }
        fill(lines, columns, end);
    }

    private static void help(List<TextLine> lines, int columns) {
        lines.add(TextLine.column(Tone.PLAIN, "", columns));
        for (String[] key : KEYS) {
            lines.add(TextLine.column(Tone.ACCENT, "  " + key[0], 18)
                    .then(Tone.PLAIN, key[1])
                    .fit(columns));
        }
    }
}
