package ai.molecule.cli.dev;

import ai.molecule.cli.Printable;
import ai.molecule.cli.adapter.AdapterCommand;
import ai.molecule.runtime.LocalAgent;
import ai.molecule.runtime.PreflightFailure;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The agent that is talked to: begun anew between two messages when what it is made of was saved, and gone while that is wrong. */
final class Chat implements AutoCloseable {

    private static final long LOOK_EVERY_MILLIS = 500;
    private static final double NANOS = 1e9;

    private final Path folder;
    private final Path work;
    private final Map<String, String> environment;
    private final PrintStream out;
    private final Thread watch = Thread.ofVirtual().name("saved").unstarted(this::watch);
    private @Nullable LocalAgent agent;
    private long stamp;
    private long promptStamp;

    Chat(Path folder, Path work, Map<String, String> environment, PrintStream out) {
        this.folder = folder;
        this.work = work;
        this.environment = environment;
        this.out = out;
    }

    /** Starts the agent, and looks after its files from then on. */
    synchronized void begin() {
        startAnew();
        watch.start();
    }

    /** Asks for the next message; anew whenever something was shown below the line that did. */
    void invite() {
        out.print("\nyou ▸ ");
        out.flush();
    }

    /** Forgets what was said. */
    synchronized void startAnew() {
        stamp = LocalAgent.stamp(folder);
        closeAgent();
        try {
            var started = LocalAgent.start(
                    folder, work, KeysAtHand.with(environment, LocalAgent.modelIn(folder)), AdapterCommand::adapterOf);
            agent = started;
            promptStamp = started.promptStamp();
            out.println(Printable.line("%s is here (%s%s). It works on %s."
                    .formatted(
                            started.name(),
                            started.adapter(),
                            started.adapter().equals("langchain4j") ? ", " + started.model() : "",
                            work)));
        } catch (PreflightFailure wrong) {
            out.println(Printable.text(wrong.report().strip()));
            out.println("Mend it and save; it is tried again then.");
        }
    }

    /** One message and its answer. Whether the agent could be asked. */
    synchronized boolean say(String text) throws InterruptedException {
        if (LocalAgent.stamp(folder) != stamp) {
            saved();
        }
        var asked = agent;
        if (asked == null) {
            out.println("There is no agent yet: mend what is wrong above, and save.");
            return false;
        }
        var bill = new Bill(asked.model());
        var screen = new Screenplay(out, bill);
        long begun = System.nanoTime();
        var outcome = asked.say(text, screen);
        screen.end();
        if (!outcome.failure().isEmpty()) {
            screen.beside("failed: " + outcome.failure());
        }
        String sum = bill.sum();
        screen.sum("%s%s%s"
                .formatted(
                        sum.isEmpty() ? "" : sum + ", ",
                        screen.tools() == 0 ? "" : screen.tools() + (screen.tools() == 1 ? " tool, " : " tools, "),
                        String.format(Locale.ROOT, "%.1f s", (System.nanoTime() - begun) / NANOS)));
        return outcome.failure().isEmpty();
    }

    private void watch() {
        try {
            while (true) {
                TimeUnit.MILLISECONDS.sleep(LOOK_EVERY_MILLIS);
                look();
            }
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    /** Not while it answers. */
    private synchronized void look() {
        if (LocalAgent.stamp(folder) != stamp) {
            out.print('\r');
            saved();
            invite();
        } else if (agent != null && agent.promptStamp() != promptStamp) {
            promptStamp = agent.promptStamp();
            out.println("\r  ↻ saved: its prompt and skills count from your next message");
            invite();
        }
    }

    private void saved() {
        out.println("  ↻ saved: it begins anew");
        startAnew();
    }

    private void closeAgent() {
        if (agent != null) {
            agent.close();
            agent = null;
        }
    }

    @Override
    public void close() {
        watch.interrupt();
        synchronized (this) {
            closeAgent();
        }
    }
}
