package ai.molecule.cli.steer;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Leaves an answer in which nothing was heard for too long, so that whoever reads it goes on. */
final class SilenceWatch implements AutoCloseable {

    private final CountDownLatch over = new CountDownLatch(1);
    private final InputStream body;
    private final Duration longest;
    private volatile long heard = System.nanoTime();
    private volatile boolean left;

    SilenceWatch(InputStream body, Duration longest) {
        this.body = body;
        this.longest = longest;
        Thread.ofVirtual().name("silence").start(this::watch);
    }

    void heard() {
        heard = System.nanoTime();
    }

    /** Whether it was too long. */
    boolean isLeft() {
        return left;
    }

    private void watch() {
        try {
            for (long rest = rest(); rest > 0; rest = rest()) {
                if (over.await(rest, TimeUnit.NANOSECONDS)) {
                    return;
                }
            }
            left = true;
            body.close();
        } catch (InterruptedException nobodyDoes) {
            Thread.currentThread().interrupt();
        } catch (IOException gone) {
            // it is left either way
        }
    }

    private long rest() {
        return longest.toNanos() - (System.nanoTime() - heard);
    }

    @Override
    public void close() {
        over.countDown();
    }
}
