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
 * Which message became which task; other words under a used id, or the same ones to another task, are another message. It is known for 24 hours and for as long as the task is not over, because that may wait for a person; at most
 * 10,000 of them, the oldest forgotten first. Not thread-safe.
 */
final class MessageMemory {

    static final int MESSAGES_MAX = 10_000;
    static final Duration REMEMBERED_FOR = Duration.ofHours(24);

    /** @param fingerprint of what the message said */
    record Seen(String taskId, long fingerprint, Instant at) {}

    private record Words(String messageId, long fingerprint) {}

    private record Key(Words words, String taskId) {}

    private final Map<Key, Seen> messages = new LinkedHashMap<>();
    private final Map<Words, Seen> first = new HashMap<>();
    private final Map<String, Seen> newest = new HashMap<>();
    private final Predicate<String> goesOn;

    /** @param goesOn whether the task of that id is not over */
    MessageMemory(Predicate<String> goesOn) {
        this.goesOn = goesOn;
    }

    /**
     * What the same words under that id became before.
     *
     * @param named the task they are meant for, where they say one: who answers two tasks in the same words is heard by both
     */
    Optional<Seen> find(String messageId, long fingerprint, Optional<String> named, Instant now) {
        forgetOld(now);
        var words = new Words(messageId, fingerprint);
        return Optional.ofNullable(named.isPresent() ? messages.get(new Key(words, named.get())) : first.get(words));
    }

    /** What the message of that id became that came last. */
    Optional<Seen> newest(String messageId, Instant now) {
        forgetOld(now);
        return Optional.ofNullable(newest.get(messageId));
    }

    void remember(String messageId, Seen seen) {
        var words = new Words(messageId, seen.fingerprint());
        messages.put(new Key(words, seen.taskId()), seen);
        first.putIfAbsent(words, seen);
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
                newest.remove(entry.getKey().words().messageId(), seen);
                first.remove(entry.getKey().words(), seen);
                oldestFirst.remove();
            }
        }
    }
}
