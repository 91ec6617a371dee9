package ai.molecule.runtime.tools;

import ai.molecule.sdk.InboundMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Messages that were fetched and are not dealt with yet, oldest first. With {@value #MESSAGES_MAX} of them fetching pauses. */
public final class Inbox {

    static final int MESSAGES_MAX = 200;

    /** A message and the workspace it came to. */
    record Arrived(InboundMessage message, String workspaceId) {}

    private final Map<String, Arrived> messages = new LinkedHashMap<>();

    synchronized boolean isFull() {
        return messages.size() >= MESSAGES_MAX;
    }

    /** A message that is there already changes nothing. */
    synchronized void add(Arrived arrived) {
        messages.putIfAbsent(arrived.message().activityId(), arrived);
        notifyAll();
    }

    /** The oldest, which stays; empty when none came in time. */
    synchronized Optional<Arrived> await(Duration atMost) throws InterruptedException {
        long end = System.nanoTime() + atMost.toNanos();
        while (messages.isEmpty()) {
            long leftMillis = (end - System.nanoTime()) / 1_000_000;
            if (leftMillis <= 0) {
                return Optional.empty();
            }
            wait(leftMillis);
        }
        return Optional.of(messages.values().iterator().next());
    }

    synchronized List<Arrived> peek(int limit) {
        return new ArrayList<>(messages.values()).subList(0, Math.min(limit, messages.size()));
    }

    /** Whether it was there. */
    synchronized boolean pop(String activityId) {
        return messages.remove(activityId) != null;
    }
}
