package ai.molecule.system.faults;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.MINUTES;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Requests made again and again, each kind one at a time and with a pause in between. */
final class Load implements AutoCloseable {

    private static final int THREADS = 16;
    /** Six kinds of requests are 24 a second then, and one falls into whatever is longer than 40 ms. */
    private static final long PAUSE_MILLIS = 250;

    /** One request; the number counts up from 0. */
    interface Requesting {
        Client.Answer ask(int number) throws IOException;
    }

    private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(THREADS);
    private final ConcurrentLinkedQueue<Client.Answer> bad = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Exception> unanswered = new ConcurrentLinkedQueue<>();
    private final Predicate<Client.Answer> allowed;
    private final AtomicInteger refused = new AtomicInteger();
    private final AtomicInteger succeeded = new AtomicInteger();

    /** @param allowed which answers besides a success may come */
    Load(Predicate<Client.Answer> allowed) {
        this.allowed = allowed;
    }

    /** Ends when the returned future is cancelled, or with this load. */
    ScheduledFuture<?> repeat(Requesting request) {
        var number = new AtomicInteger();
        return threads.scheduleWithFixedDelay(
                () -> ask(request, number.getAndIncrement()), 0, PAUSE_MILLIS, MILLISECONDS);
    }

    private void ask(Requesting request, int number) {
        try {
            var answer = request.ask(number);
            if (answer.good()) {
                succeeded.incrementAndGet();
            } else if (allowed.test(answer)) {
                refused.incrementAndGet();
            } else {
                bad.add(answer);
            }
        } catch (Exception failure) {
            unanswered.add(failure);
        }
    }

    int succeeded() {
        return succeeded.get();
    }

    int refused() {
        return refused.get();
    }

    /** Answers that may not come, and requests that got none. */
    List<Object> wrong() {
        return Stream.<Object>concat(bad.stream(), unanswered.stream()).toList();
    }

    /** No further request; waits for the answers of those under way. */
    @Override
    public void close() {
        threads.shutdown();
        try {
            if (!threads.awaitTermination(2, MINUTES)) {
                throw new AssertionError("requests are still unanswered");
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } finally {
            threads.shutdownNow();
        }
    }
}
