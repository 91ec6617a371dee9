package ai.molecule.runtime.tasks;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Which message became which task; other words under a used id are another message. It is known for 24 hours and for as long as the task is not over, because that may wait for a person; at most
 * 10,000 of them, the oldest forgotten first. Not thread-safe.
 */
final class MessageMemory {

    static final int MESSAGES_MAX = 10_000;
    static final Duration REMEMBERED_FOR = Duration.ofHours(24);

    /** @param fingerprint of what the message said */
    record Seen(String taskId, long fingerprint, Instant at) {}

    private record Key(String messageId, long fingerprint) {}

    private final Map<Key, Seen> messages = new LinkedHashMap<>();
    private final Map<String, Seen> newest = new HashMap<>();
    private final Predicate<String> goesOn;

    /** @param goesOn whether the task of that id is not over */
    MessageMemory(Predicate<String> goesOn) {
        this.goesOn = goesOn;
    }

    Optional<Seen> find(String messageId, long fingerprint, Instant now) {
        forgetOld(now);
        return Optional.ofNullable(messages.get(new Key(messageId, fingerprint)));
    }

    /** What the message of that id became that came last. */
    Optional<Seen> newest(String messageId, Instant now) {
        forgetOld(now);
        return Optional.ofNullable(newest.get(messageId));
    }

    void remember(String messageId, Seen seen) {
        messages.put(new Key(messageId, seen.fingerprint()), seen);
        newest.put(messageId, seen);
        forgetOld(seen.at());
    }

    private void forgetOld(Instant now) {
        Iterator<Map.Entry<Key, Seen>> oldestFirst = messages.entrySet().iterator();
        while (oldestFirst.hasNext()) {
            var entry = oldestFirst.next();
            Seen seen = entry.getValue();
            boolean expired = seen.at().plus(REMEMBERED_FOR).isBefore(now);
            if (!expired && messages.size() <= MESSAGES_MAX) {
                return;
            }
            if (messages.size() > MESSAGES_MAX || !goesOn.test(seen.taskId())) {
                newest.remove(entry.getKey().messageId(), seen);
                oldestFirst.remove();
            }
        }
    }
}
