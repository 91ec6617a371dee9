package ai.molecule.runtime.tasks;

import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Which message became which task: for 24 hours, at most 10,000 of them, the oldest forgotten first. Not thread-safe. */
final class MessageMemory {

    static final int MESSAGES_MAX = 10_000;
    static final Duration REMEMBERED_FOR = Duration.ofHours(24);

    /** @param fingerprint of what the message said */
    record Seen(String taskId, long fingerprint, Instant at) {}

    private final Map<String, Seen> messages = new LinkedHashMap<>();

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
            boolean expired = oldestFirst.next().at().plus(REMEMBERED_FOR).isBefore(now);
            if (!expired && messages.size() <= MESSAGES_MAX) {
                return;
            }
            oldestFirst.remove();
        }
    }
}
