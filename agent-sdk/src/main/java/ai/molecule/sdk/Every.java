package ai.molecule.sdk;

import java.time.Duration;

/** Does something at once and then after every interval, on a daemon thread of its own, whatever goes wrong with it. */
final class Every implements AutoCloseable {

    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(2);

    private final Thread thread;

    private Every(Thread thread) {
        this.thread = thread;
    }

    static Every start(String what, Duration interval, Runnable action) {
        var thread = new Thread(() -> repeat(what, interval, action), "molecule-" + what);
        thread.setDaemon(true);
        thread.start();
        return new Every(thread);
    }

    private static void repeat(String what, Duration interval, Runnable action) {
        var complaints = new Complaints(what);
        try {
            while (!Thread.currentThread().isInterrupted()) {
                try {
                    action.run();
                    complaints.succeeded();
                } catch (RuntimeException e) {
                    if (Thread.currentThread().isInterrupted()) {
                        return;
                    }
                    complaints.failed(e);
                }
                Thread.sleep(interval.toMillis());
            }
        } catch (InterruptedException closed) {
            // the end
        }
    }

    /** Aborts what is under way and waits a moment for the thread to end. */
    @Override
    public void close() {
        thread.interrupt();
        try {
            thread.join(CLOSE_LIMIT.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
