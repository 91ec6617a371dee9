package ai.molecule.cli.backup;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Breaks a connection on which nothing moved for too long: a time limit of the socket ends what is read only, and a server that hangs takes nothing either. */
final class StandstillWatch implements AutoCloseable {

    private final CountDownLatch over = new CountDownLatch(1);
    private final Connection connection;
    private final Duration longest;
    private volatile long moved = System.nanoTime();

    StandstillWatch(Connection connection, Duration longest) {
        this.connection = connection;
        this.longest = longest;
        Thread.ofVirtual().name("database-standstill").start(this::watch);
    }

    /** Something was taken, or answered. */
    void moved() {
        moved = System.nanoTime();
    }

    private void watch() {
        try {
            for (long rest = rest(); rest > 0; rest = rest()) {
                if (over.await(rest, TimeUnit.NANOSECONDS)) {
                    return;
                }
            }
            connection.abort(Runnable::run);
        } catch (InterruptedException nobodyDoes) {
            Thread.currentThread().interrupt();
        } catch (SQLException gone) {
            // it is broken either way
        }
    }

    private long rest() {
        return longest.toNanos() - (System.nanoTime() - moved);
    }

    @Override
    public void close() {
        over.countDown();
    }
}
