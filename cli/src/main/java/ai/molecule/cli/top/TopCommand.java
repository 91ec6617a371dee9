package ai.molecule.cli.top;

import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.http.Named;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.cli.http.PlatformOptions;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** A platform on the whole screen, until somebody leaves. One thread changes and draws all of it; others only bring. */
@Command(
        name = "top",
        description = "Show the live platform on the full screen and steer it by keys.",
        footer = {
            "",
            "Tab or 1 to 5 choose a part, arrows a line in it; / filters as you type, ? shows every key, q or Ctrl-C leaves.",
            "t talks to the agent that is chosen, p pauses, r resumes, R restarts, d deletes it (asks), a approves and x denies what it asks."
        })
public final class TopCommand implements Callable<Integer> {

    /** What came and was not looked at yet; whoever brings more waits. */
    private static final int ARRIVALS_MAX = 4_096;

    /** So that a busy platform does not cost a processor. */
    private static final long BETWEEN_DRAWINGS_MILLIS = 30;

    @Mixin
    private PlatformOptions platform = new PlatformOptions();

    private final MoleculeHome home;
    private final Map<String, String> environment;
    private final BlockingQueue<Consumer<Dashboard>> arrivals = new ArrayBlockingQueue<>(ARRIVALS_MAX);
    private @Nullable Wish wish;
    private boolean resized;

    public TopCommand(MoleculeHome home, Map<String, String> environment) {
        this.home = home;
        this.environment = environment;
    }

    @Override
    public Integer call() {
        Tty.require(environment);
        return platform.ask(home, environment, api -> {
            // Before the screen is taken: what is refused at once is a sentence.
            Named.done("There is nothing to see", api.call("GET", "/inbox?limit=1"));
            try (var tty = Tty.take(environment);
                    var feed = new Feed(api, arrivals::put)) {
                watch(api, tty, feed);
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
            }
            return 0;
        });
    }

    private void watch(PlatformApi api, Tty tty, Feed feed) throws InterruptedException {
        var zone = ZoneId.systemDefault();
        var dashboard = new Dashboard(api.url(), InstantSource.system(), zone);
        var view = new Drawing(dashboard, zone);
        tty.listen(new Tty.Heard() {
            @Override
            public void key(Key key) throws InterruptedException {
                arrivals.put(seen -> wish = seen.press(key).orElse(null));
            }

            @Override
            public void resized() throws InterruptedException {
                arrivals.put(seen -> resized = true);
            }
        });
        feed.start();
        boolean left = false;
        while (!left) {
            tty.draw(view.draw(tty.columns(), tty.rows()));
            feed.lookAt(dashboard.chosen());
            if (dashboard.organisation().isIncomplete()) {
                feed.listIsDue();
            }
            TimeUnit.MILLISECONDS.sleep(BETWEEN_DRAWINGS_MILLIS);
            left = take(dashboard, tty, feed);
        }
    }

    /** What came by now, at least one thing or a second; whether somebody leaves. */
    private boolean take(Dashboard dashboard, Tty tty, Feed feed) throws InterruptedException {
        var next = arrivals.poll(1, TimeUnit.SECONDS);
        for (int taken = 0; next != null && taken < ARRIVALS_MAX; taken++) {
            try {
                try {
                    next.accept(dashboard);
                } catch (ClassCastException other) { // of a platform of another version, say: the rest can be shown
                    dashboard.tell("The platform: " + Feed.NOT_UNDERSTOOD, true);
                }
            } catch (RuntimeException unread) { // whatever a platform tells, the others of it are shown
                dashboard.tell("Something came that cannot be shown: " + unread, true);
            }
            var wanted = wish;
            wish = null;
            if (wanted instanceof Wish.Leave) {
                return true;
            }
            if (wanted instanceof Wish.Redraw || resized) {
                resized = false;
                tty.forget();
            } else if (wanted != null) {
                feed.carryOut(wanted);
            }
            next = arrivals.poll();
        }
        return false;
    }
}
