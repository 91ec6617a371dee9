package ai.molecule.cli.top;

import ai.molecule.cli.LaunchFailure;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jline.terminal.Attributes;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import org.jline.utils.NonBlockingReader;

/**
 * The terminal: takes the whole screen, shows lines, hears keys, and gives everything back as it was, however this process ends but by SIGKILL.
 * Only what differs from what is shown is written. It is the only place that commands a terminal.
 */
final class Tty implements AutoCloseable {

    private static final String TAKE = "\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[?2004h\u001b[2J";
    private static final String GIVE_BACK = "\u001b[0m\u001b[?2004l\u001b[?7h\u001b[?25h\u001b[?1049l";
    private static final int COLUMNS = 80;
    private static final int ROWS = 24;
    private static final long TURN_MILLIS = 1_000;

    /** Terminals that have no colours. */
    private static final Set<String> GREY =
            Set.of("vt100", "vt102", "vt220", "vt320", "ansi-m", "xterm-mono", "linux-m");

    /** What stands for signs where a terminal takes ASCII alone. */
    private static final Map<Integer, String> PLAIN = Map.ofEntries(
            Map.entry((int) '│', "|"),
            Map.entry((int) '├', "|"),
            Map.entry((int) '└', "`"),
            Map.entry((int) '─', "-"),
            Map.entry((int) '━', "="),
            Map.entry((int) '…', "~"),
            Map.entry((int) '▏', "_"),
            Map.entry((int) '↑', "^"),
            Map.entry((int) '↓', "v"),
            Map.entry((int) '←', "<"),
            Map.entry((int) '→', ">"));

    /** Whoever hears keys, and that the screen has another size. */
    interface Heard {
        void key(Key key) throws InterruptedException;

        void resized() throws InterruptedException;
    }

    private final Terminal terminal;
    private final Attributes before;
    private final boolean colours;
    private final boolean unicode;
    private final Thread restoring = new Thread(this::giveBack, "terminal");
    private List<String> shown = new ArrayList<>();
    private boolean given;

    private Tty(Terminal terminal, boolean colours) {
        this.terminal = terminal;
        this.colours = colours;
        this.unicode = StandardCharsets.UTF_8.equals(terminal.encoding());
        this.before = terminal.enterRawMode();
        var raw = terminal.getAttributes();
        raw.setLocalFlag(Attributes.LocalFlag.ISIG, false); // Ctrl-C is a key, Ctrl-Z none
        terminal.setAttributes(raw);
        Runtime.getRuntime().addShutdownHook(restoring);
        write(TAKE);
    }

    /** @throws LaunchFailure where there is none that can show anything */
    static void require(Map<String, String> environment) {
        String type = environment.getOrDefault("TERM", "");
        var console = System.console();
        if (console == null || !console.isTerminal()) {
            throw LaunchFailure.usersTurn(
                    "molecule top needs a terminal to show itself on; ./molecule ps and ./molecule events -f write for pipes and files.");
        }
        if (type.isBlank() || type.equals("dumb")) {
            throw LaunchFailure.usersTurn(
                    "molecule top needs a terminal that can move its cursor, and TERM is %s; ./molecule ps and ./molecule events -f do without."
                            .formatted(type.isBlank() ? "not set" : type));
        }
    }

    /** @throws LaunchFailure where it cannot be had */
    static Tty take(Map<String, String> environment) {
        try {
            var terminal = TerminalBuilder.builder()
                    .name("molecule")
                    .system(true)
                    .dumb(false)
                    .nativeSignals(true)
                    .build();
            return new Tty(
                    terminal,
                    environment.getOrDefault("NO_COLOR", "").isEmpty()
                            && !GREY.contains(environment.getOrDefault("TERM", "")));
        } catch (IOException | IllegalStateException e) {
            throw LaunchFailure.usersTurn("This terminal cannot be used: " + e.getMessage());
        }
    }

    /** From now on, until the terminal is gone. */
    void listen(Heard heard) {
        terminal.handle(Terminal.Signal.WINCH, signal -> passOn(heard::resized));
        terminal.handle(Terminal.Signal.CONT, signal -> passOn(heard::resized));
        Thread.ofPlatform().daemon().name("keys").start(() -> {
            var reader = terminal.reader();
            var keys = new Keys(millis -> read(reader, millis));
            try {
                while (true) {
                    heard.key(keys.next());
                }
            } catch (IOException gone) {
                passOn(() -> heard.key(Key.of(Key.Kind.LEAVE)));
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
            }
        });
    }

    /** In turns: whoever waits for a key without an end keeps the terminal from being closed. */
    private static int read(NonBlockingReader reader, long millis) throws IOException {
        int read = reader.read(millis == 0 ? TURN_MILLIS : millis);
        while (millis == 0 && read == NonBlockingReader.READ_EXPIRED) {
            read = reader.read(TURN_MILLIS);
        }
        return read;
    }

    private interface Passing {
        void run() throws InterruptedException;
    }

    private static void passOn(Passing passing) {
        try {
            passing.run();
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    int columns() {
        return terminal.getWidth() > 0 ? terminal.getWidth() : COLUMNS;
    }

    int rows() {
        return terminal.getHeight() > 0 ? terminal.getHeight() : ROWS;
    }

    /** What is on the screen is not what was drawn. */
    void forget() {
        shown = new ArrayList<>();
        write("\u001b[2J");
    }

    void draw(List<TextLine> lines) {
        var text = new StringBuilder();
        var drawn = new ArrayList<String>();
        for (int row = 0; row < lines.size(); row++) {
            String line = painted(lines.get(row));
            drawn.add(line);
            if (row >= shown.size() || !line.equals(shown.get(row))) {
                text.append("\u001b[").append(row + 1).append(";1H\u001b[2K").append(line);
            }
        }
        shown = drawn;
        if (!text.isEmpty()) {
            write(text.toString());
        }
    }

    private String painted(TextLine line) {
        var text = new StringBuilder();
        for (var piece : line.pieces()) {
            String look = look(piece.tone());
            text.append("\u001b[0").append(look.isEmpty() ? "" : ";" + look).append('m');
            text.append(unicode ? piece.text() : plain(piece.text()));
        }
        return text.append("\u001b[0m").toString();
    }

    private static String plain(String text) {
        var plain = new StringBuilder();
        text.codePoints()
                .forEach(each -> plain.append(each < 127 ? Character.toString(each) : PLAIN.getOrDefault(each, "?")));
        return plain.toString();
    }

    private String look(Tone tone) {
        return switch (tone) {
            case PLAIN -> "";
            case FAINT -> "2";
            case STRONG -> "1";
            case GOOD -> colours ? "32" : "";
            case BUSY -> colours ? "33" : "1";
            case BAD -> colours ? "1;31" : "1";
            case ACCENT -> colours ? "1;36" : "1";
            case BAR -> "7";
            case BAR_WARNING -> colours ? "1;30;43" : "1;7";
            case CHOSEN -> colours ? "30;46" : "7";
            case REMEMBERED -> "1";
        };
    }

    private synchronized void write(String text) {
        if (!given) {
            terminal.writer().write(text);
            terminal.writer().flush();
        }
    }

    private synchronized void giveBack() {
        if (!given) {
            write(GIVE_BACK);
            given = true;
            terminal.setAttributes(before);
        }
    }

    @Override
    public void close() throws IOException {
        giveBack();
        try {
            Runtime.getRuntime().removeShutdownHook(restoring);
        } catch (IllegalStateException ending) {
            // it runs
        }
        terminal.close();
    }
}
