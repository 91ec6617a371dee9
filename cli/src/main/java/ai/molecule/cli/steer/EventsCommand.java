package ai.molecule.cli.steer;

import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.http.Named;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.cli.http.PlatformCommand;
import ai.molecule.cli.http.SocketMessages;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What happens. */
@Command(name = "events", description = "Show past events; with --follow also new ones.")
final class EventsCommand extends PlatformCommand {

    private static final int LINES_MAX = 500;
    private static final long AGAIN_SECONDS = 1;
    private static final long OPEN_SECONDS = 15;

    @Option(
            names = {"-f", "--follow"},
            description = "Follow new events, also of messages and tasks, until Ctrl-C.")
    private boolean follow;

    @Option(names = "--agent", paramLabel = "NAME|ID", description = "Only events of this agent.")
    private @Nullable String agent;

    @Option(names = "--lines", paramLabel = "N", description = "Number of past events, at most 500. Default: 20")
    private int lines = 20;

    /** The platform sends a ping every 30 s at least; one that was not heard for so long stands still, or the way to it is cut. */
    static final Duration SILENCE_MAX = Duration.ofSeconds(95);

    private final Duration silenceMax;

    EventsCommand(Console console, MoleculeHome home) {
        this(console, home, SILENCE_MAX);
    }

    EventsCommand(Console console, MoleculeHome home, Duration silenceMax) {
        super(console, home);
        this.silenceMax = silenceMax;
    }

    @Override
    protected void check() {
        if (lines < 0 || lines > LINES_MAX) {
            throw LaunchFailure.usersTurn("--lines %d is not between 0 and %d.".formatted(lines, LINES_MAX));
        }
    }

    @Override
    protected int steer(PlatformApi api) throws IOException {
        var shown = agent == null ? null : Named.idOf(api, agent);
        var newest = api.list("/events?limit=1");
        var said = new EventLines(
                console,
                api,
                shown,
                newest.isEmpty() ? 0 : newest.getJsonObject(0).getLong("seq", 0L),
                json);
        if (lines > 0) {
            var recent = api.list("/events%s?limit=%d".formatted(shown == null ? "" : "/" + shown, lines));
            for (int i = recent.size() - 1; i >= 0; i--) {
                said.recorded(recent.getJsonObject(i));
            }
        }
        if (follow) {
            follow(api, said);
        }
        return 0;
    }

    /** Until the process is ended, or nobody reads what it prints; a platform that is away is asked again each second. */
    private void follow(PlatformApi api, EventLines said) {
        boolean told = false;
        while (!Thread.currentThread().isInterrupted() && !console.isUnheard()) {
            try {
                var messages = new SocketMessages(said::hear);
                var socket =
                        api.socket("/ws?since=" + said.position(), messages).get(OPEN_SECONDS, TimeUnit.SECONDS);
                told = false;
                if (!messages.untilClosed(silenceMax)) {
                    socket.abort();
                    console.say(
                            "The platform said nothing for %d s; listening anew.".formatted(silenceMax.toSeconds()));
                }
            } catch (ExecutionException | TimeoutException away) {
                if (!told) {
                    console.say(String.format(
                            Locale.ROOT, "The platform does not answer; asking again every %d s.", AGAIN_SECONDS));
                    told = true;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            pause();
        }
    }

    private static void pause() {
        try {
            TimeUnit.SECONDS.sleep(AGAIN_SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
