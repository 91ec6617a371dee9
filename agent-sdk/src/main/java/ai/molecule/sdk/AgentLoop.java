package ai.molecule.sdk;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An agent at work. Messages are handled on the thread that runs the loop; heartbeats and the question whether to go on have
 * a thread each, so that neither a handler that blocks nor a platform that is slow with the one holds up the other.
 */
final class AgentLoop {

    static final String MAX_ITERATIONS = "max_iterations";

    /** A single 401 may come from a token that is being replaced. */
    private static final int REFUSALS_MAX = 2;

    private static final double BACKOFF_MAX_SECONDS = 30;
    private static final double JITTER = 0.25;

    private final RemoteAgentClient client;
    private final MessageHandler handler;
    private final InboundDelivery delivery;
    private final LoopOptions options;
    private final AtomicInteger running = new AtomicInteger();
    private final Complaints complaints = new Complaints("receiving messages");
    private int refusals;
    private boolean paused;
    private @Nullable String ended;
    private @Nullable TokenLostException lost;

    AgentLoop(RemoteAgentClient client, MessageHandler handler, InboundDelivery delivery, LoopOptions options) {
        this.client = client;
        this.handler = handler;
        this.delivery = delivery;
        this.options = options;
    }

    /** Blocks until the platform or the options end it. */
    String run() throws InterruptedException {
        try (var heartbeat = Every.start("heartbeat", client.heartbeatInterval(), this::beat)) {
            lookOnce();
            try (var state = Every.start("state", client.stateInterval(), this::look)) {
                return deliver();
            }
        } finally {
            delivery.stop();
        }
    }

    private String deliver() throws InterruptedException {
        for (int round = 0; !options.ended(round); round++) {
            awaitResume();
            if (isOver()) {
                return ending();
            }
            await(receive());
            if (isOver()) {
                return ending();
            }
        }
        return MAX_ITERATIONS;
    }

    /** @return how long to wait before the next time */
    private Duration receive() throws InterruptedException {
        Duration pause;
        try {
            delivery.runOnce(this::counted);
            complaints.succeeded();
            pause = delivery.pause();
        } catch (RuntimeException e) {
            passOnInterrupt();
            return backoff(complaints.failed(e));
        }
        passOnInterrupt();
        return pause;
    }

    private static void passOnInterrupt() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    private @Nullable String counted(InboundMessage message, RemoteAgentClient self) throws Exception {
        running.incrementAndGet();
        try {
            return handler.handle(message, self);
        } finally {
            running.decrementAndGet();
        }
    }

    private void beat() {
        client.heartbeat(options.tasks().map(Supplier::get).orElseGet(this::work));
    }

    private CurrentTask work() {
        int count = running.get();
        return count == 0 ? CurrentTask.NONE : new CurrentTask("answering a message", count);
    }

    /** Before the first message: an agent that is paused handles none. */
    private void lookOnce() {
        try {
            look();
        } catch (RuntimeException e) {
            new Complaints("state").failed(e);
        }
    }

    private void look() {
        try {
            WorkspaceState state = client.pollState();
            boolean over = state.deleted() || state.paused() && !options.waitWhilePaused();
            tell(over ? state.status() : null, null, state.paused());
        } catch (PlatformException e) {
            if (e.status() == 401 && ++refusals >= REFUSALS_MAX) {
                tell(null, client.tokenLost(e), false);
            }
            throw e;
        }
    }

    private void tell(@Nullable String status, @Nullable TokenLostException token, boolean pause) {
        synchronized (this) {
            refusals = token == null ? 0 : refusals;
            boolean changed = status != null || token != null || pause != paused;
            ended = ended == null ? status : ended;
            lost = lost == null ? token : lost;
            paused = pause;
            notifyAll();
            if (!changed) {
                return;
            }
        }
        delivery.wake();
    }

    private synchronized boolean isOver() {
        return ended != null || lost != null;
    }

    private synchronized String ending() {
        if (lost != null) {
            throw lost;
        }
        return String.valueOf(ended);
    }

    private synchronized void awaitResume() throws InterruptedException {
        while (paused && !isOver()) {
            delivery.wake(); // once more, now that no runOnce can have begun behind its back
            wait();
        }
    }

    private synchronized void await(Duration pause) throws InterruptedException {
        long end = System.nanoTime() + pause.toNanos();
        for (long left = pause.toMillis(); left > 0 && !isOver(); left = (end - System.nanoTime()) / 1_000_000) {
            wait(left);
        }
    }

    /** 1 s, doubling to 30 s, a quarter more or less. */
    private static Duration backoff(int failures) {
        double seconds = Math.min(BACKOFF_MAX_SECONDS, Math.pow(2, Math.min(failures, 10) - 1));
        double jittered =
                seconds * (1 + JITTER * (2 * ThreadLocalRandom.current().nextDouble() - 1));
        return Duration.ofMillis((long) (jittered * 1000));
    }
}
