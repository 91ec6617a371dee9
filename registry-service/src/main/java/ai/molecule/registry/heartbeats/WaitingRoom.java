package ai.molecule.registry.heartbeats;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * What waits to be taken in groups, in its order, within bounds of number and size: an agent may send a mebibyte with each heartbeat,
 * and one statement carries a whole group.
 */
final class WaitingRoom<T> {

    static final int WAITING_MAX = 10_000;
    static final int GROUP_MAX = 1_000;
    static final long WAITING_MAX_CHARS = 32L * 1024 * 1024;
    static final long GROUP_MAX_CHARS = 8L * 1024 * 1024;

    private final ToLongFunction<T> chars;
    private final Deque<T> waiting = new ArrayDeque<>();
    private long waitingChars;

    /** @param chars how long the texts of one are */
    WaitingRoom(ToLongFunction<T> chars) {
        this.chars = chars;
    }

    /** False when there is no room for it. */
    boolean offer(T one) {
        long size = chars.applyAsLong(one);
        if (waiting.size() >= WAITING_MAX || waitingChars + size > WAITING_MAX_CHARS) {
            return false;
        }
        waitingChars += size;
        return waiting.add(one);
    }

    int size() {
        return waiting.size();
    }

    /** Those at the front, one at least unless nobody waits. */
    List<T> takeGroup() {
        List<T> group = new ArrayList<>();
        long groupChars = 0;
        for (var next = waiting.peek(); next != null && group.size() < GROUP_MAX; next = waiting.peek()) {
            long size = chars.applyAsLong(next);
            if (!group.isEmpty() && groupChars + size > GROUP_MAX_CHARS) {
                break;
            }
            groupChars += size;
            waitingChars -= size;
            group.add(waiting.remove());
        }
        return group;
    }
}
