package ai.molecule.runtime.tasks;

import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Which message became which task: for 24 hours and for as long as the task is not over, because that may wait for a person; at most
 * 10,000 of them, the oldest forgotten first. Not thread-safe.
 */
final class MessageMemory {

    static final int MESSAGES_MAX = 10_000;
    static final Duration REMEMBERED_FOR = Duration.ofHours(24);

    /** @param fingerprint of what the message said */
    record Seen(String taskId, long fingerprint, Instant at) {}

    private final Map<String, Seen> messages = new LinkedHashMap<>();
    private final Predicate<String> goesOn;

    /** @param goesOn whether the task of that id is not over */
    MessageMemory(Predicate<String> goesOn) {
        this.goesOn = goesOn;
    }

    Optional<Seen> find(String messageId, Instant now) {
        forgetOld(now);
        return Optional.ofNullable(messages.get(messageId));
    }

    void remember(String messageId, Seen seen) {
        messages.put(messageId, seen);
        forgetOld(seen.at());
    }

    private void forgetOld(Instant now) {
        Iterator<Seen> oldestFirst = messages.values().iterator();
        while (oldestFirst.hasNext()) {
            Seen seen = oldestFirst.next();
            boolean expired = seen.at().plus(REMEMBERED_FOR).isBefore(now);
            if (!expired && messages.size() <= MESSAGES_MAX) {
                return;
            }
            if (messages.size() > MESSAGES_MAX || !goesOn.test(seen.taskId())) {
                oldestFirst.remove();
            }
        }
    }
}
