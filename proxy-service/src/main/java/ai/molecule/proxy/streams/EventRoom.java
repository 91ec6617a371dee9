package ai.molecule.proxy.streams;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/**
 * Bounds what streams hold of events in memory, together, and those of one agent or workspace to half of that. Where there is no room left,
 * whoever holds most has to let go, not whoever comes last: an event that never ends is nobody else's burden. To be used on one event loop.
 */
public final class EventRoom {

    private static final int SHARE = 2;

    /** One stream. */
    public interface Holder {

        /** Whose share it takes. */
        UUID target();

        long heldBytes();

        /** Holds less from now on, or ends. */
        void makeRoom();
    }

    private final long maxBytes;
    private final Map<Holder, Long> holders = new HashMap<>();
    private final Map<UUID, Long> byTarget = new HashMap<>();
    private long bytes;

    public EventRoom(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    public long bytes() {
        return bytes;
    }

    /** To be called when it holds more or less than before. */
    public void changed(Holder holder) {
        count(holder, holder.heldBytes());
        while (bytes > maxBytes || byTarget.getOrDefault(holder.target(), 0L) > maxBytes / SHARE) {
            boolean all = bytes > maxBytes;
            var largest = holders.entrySet().stream()
                    .filter(one -> all || one.getKey().target().equals(holder.target()))
                    .max(Comparator.comparingLong(Map.Entry::getValue))
                    .orElseThrow()
                    .getKey();
            long before = largest.heldBytes();
            largest.makeRoom();
            long after = holders.containsKey(largest) ? largest.heldBytes() : 0;
            count(largest, after < before ? after : 0);
        }
    }

    /** To be called when it has ended. */
    public void left(Holder holder) {
        count(holder, 0);
    }

    private void count(Holder holder, long now) {
        Long before = now > 0 ? holders.put(holder, now) : holders.remove(holder);
        long more = now - (before == null ? 0 : before);
        bytes += more;
        byTarget.merge(holder.target(), more, (there, added) -> there + added == 0 ? null : there + added);
        byTarget.computeIfPresent(holder.target(), (same, there) -> there == 0 ? null : there);
    }
}
