package ai.molecule.proxy.tasks;

import ai.molecule.proxy.tasks.TaskNote.Begun;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Begins that are not written yet, because most tasks are over soon and are then written once. Oldest first; in one thread. */
final class LingeringBegins {

    static final int BEGINS_MAX = 4_096;
    static final long BYTES_MAX = 16L << 20;

    private record Held(Begun begun, long sinceNanos) {}

    private final Map<UUID, Held> held = new LinkedHashMap<>();
    private final Map<UUID, List<Begun>> atTarget = new HashMap<>();
    private long bytes;

    /** One that is held already stays as it began first. Returns those that there is no room for any more. */
    List<Begun> hold(Begun begun, long nowNanos) {
        if (held.putIfAbsent(begun.id(), new Held(begun, nowNanos)) != null) {
            return List.of();
        }
        bytes += begun.bytes();
        atTarget.computeIfAbsent(begun.target(), target -> new ArrayList<>(2)).add(begun);
        return held.size() > BEGINS_MAX || bytes > BYTES_MAX ? takeUntil(oldest -> hasRoom()) : List.of();
    }

    private boolean hasRoom() {
        return held.size() <= BEGINS_MAX && bytes <= BYTES_MAX;
    }

    boolean isEmpty() {
        return held.isEmpty();
    }

    /** Null when it is not held. */
    @Nullable
    Begun take(UUID id) {
        var found = held.remove(id);
        if (found == null) {
            return null;
        }
        forget(found.begun);
        return found.begun;
    }

    /** Those that are held since before. */
    List<Begun> takeOlderThan(long nanos) {
        return takeUntil(oldest -> oldest.sinceNanos - nanos >= 0);
    }

    private List<Begun> takeUntil(Predicate<Held> enough) {
        List<Begun> taken = new ArrayList<>();
        for (Iterator<Held> all = held.values().iterator(); all.hasNext(); ) {
            var oldest = all.next();
            if (enough.test(oldest)) {
                break;
            }
            all.remove();
            forget(oldest.begun);
            taken.add(oldest.begun);
        }
        return taken;
    }

    /** Those at one agent that are like that. */
    List<Begun> takeAt(UUID target, Predicate<Begun> like) {
        var there = atTarget.get(target);
        if (there == null || there.stream().noneMatch(like)) {
            return List.of();
        }
        var taken = there.stream().filter(like).toList();
        taken.forEach(begun -> take(begun.id()));
        return taken;
    }

    List<Begun> takeAll() {
        var all = held.values().stream().map(Held::begun).toList();
        held.clear();
        atTarget.clear();
        bytes = 0;
        return all;
    }

    private void forget(Begun begun) {
        bytes -= begun.bytes();
        var there = atTarget.get(begun.target());
        if (there != null && there.remove(begun) && there.isEmpty()) {
            atTarget.remove(begun.target());
        }
    }
}
