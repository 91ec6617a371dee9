package ai.molecule.common.cache;

import ai.molecule.common.tracing.Tracing;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Answers remembered for a short time. The cache keeps the pending answer, not its value: many who ask at once then share one
 * read, and nobody who asks after a drop sees a read that began before it. A failure is not remembered. When full it forgets what
 * was asked for least. To be used on one event loop.
 */
public final class BriefCache<K, V> {

    /** An answer that weighs more than this part of the whole is not remembered. */
    private static final int HEAVIEST_PART = 8;

    private static final class Entry<V> {
        private final Future<V> answer;
        private final long atNanos;
        private final long drops;
        private long weight;

        Entry(Future<V> answer, long atNanos, long drops) {
            this.answer = answer;
            this.atNanos = atNanos;
            this.drops = drops;
        }
    }

    private record Drop(long nth, long atNanos) {}

    private final long ageMaxNanos;
    private final int entriesMax;
    private final long weightMax;
    private final ToLongFunction<V> weigher;
    private final BiFunction<K, V, Collection<?>> tagsOf;
    private final LongSupplier nanoTime;
    private final Cache<K, Entry<V>> entries;

    /** When what was dropped last, as far back as entries reach; those that are older are too old anyway. */
    private final Map<Object, Drop> dropped = new HashMap<>();

    private long drops;

    public BriefCache(Duration ageMax, int entriesMax) {
        this(ageMax, entriesMax, (key, answer) -> List.of());
    }

    /** @param tagsOf what an answer is about, for {@link #dropTagged}: a few ids */
    public BriefCache(Duration ageMax, int entriesMax, BiFunction<K, V, Collection<?>> tagsOf) {
        this(ageMax, entriesMax, entriesMax, answer -> 0, tagsOf, System::nanoTime);
    }

    /** @param weightMax of all answers together, in the unit of {@code weigher}, such as bytes */
    public BriefCache(Duration ageMax, int entriesMax, long weightMax, ToLongFunction<V> weigher) {
        this(ageMax, entriesMax, weightMax, weigher, (key, answer) -> List.of(), System::nanoTime);
    }

    /**
     * @param weightMax of all answers together, in the unit of {@code weigher}
     * @param tagsOf what an answer is about, for {@link #dropTagged}: a few ids
     */
    public BriefCache(
            Duration ageMax,
            int entriesMax,
            long weightMax,
            ToLongFunction<V> weigher,
            BiFunction<K, V, Collection<?>> tagsOf) {
        this(ageMax, entriesMax, weightMax, weigher, tagsOf, System::nanoTime);
    }

    BriefCache(
            Duration ageMax,
            int entriesMax,
            long weightMax,
            ToLongFunction<V> weigher,
            BiFunction<K, V, Collection<?>> tagsOf,
            LongSupplier nanoTime) {
        this.ageMaxNanos = ageMax.toNanos();
        this.entriesMax = entriesMax;
        this.weightMax = weightMax;
        this.weigher = weigher;
        this.tagsOf = tagsOf;
        this.nanoTime = nanoTime;
        long least = weightMax / entriesMax; // so that neither their weight nor their number exceeds its bound
        this.entries = Caffeine.newBuilder()
                .maximumWeight(weightMax)
                .weigher((K key, Entry<V> entry) -> (int) Math.min(Integer.MAX_VALUE, Math.max(least, entry.weight)))
                .expireAfterWrite(ageMax)
                .ticker(nanoTime::getAsLong)
                .executor(Runnable::run)
                .build();
    }

    /** The remembered answer, else that of {@code read}, which is then remembered from now on, not from its completion. */
    public Future<V> get(K key, Function<K, Future<V>> read) {
        var known = entries.getIfPresent(key);
        if (known != null && holds(key, known)) {
            return Tracing.here(known.answer);
        }
        entries.invalidate(key);
        long asked = nanoTime.getAsLong();
        long seen = drops;
        var entry = new Entry<>(read.apply(key), asked, seen);
        entries.put(key, entry);
        entry.answer
                .onSuccess(answer -> weigh(key, entry, answer))
                .onFailure(failure -> entries.asMap().remove(key, entry));
        return entry.answer;
    }

    /** The answer if it is remembered, young and already here. */
    public @Nullable V find(K key) {
        var known = entries.getIfPresent(key);
        return known != null && holds(key, known) ? known.answer.result() : null;
    }

    /** To be called when the value changed: whoever asks from now on gets what is read from now on. */
    public void drop(K key) {
        entries.invalidate(key);
    }

    /** The same for all that is about {@code tag}, and for what is still being read, of which nobody knows that yet. */
    public void dropTagged(Object tag) {
        long now = nanoTime.getAsLong();
        if (dropped.size() >= entriesMax) {
            dropped.values().removeIf(drop -> now - drop.atNanos >= ageMaxNanos);
            if (dropped.size() >= entriesMax) {
                clear();
                return;
            }
        }
        dropped.put(tag, new Drop(++drops, now));
    }

    /** How many answers it holds on to, about. */
    public long size() {
        return entries.estimatedSize();
    }

    public void clear() {
        entries.invalidateAll();
        dropped.clear();
    }

    private boolean holds(K key, Entry<V> entry) {
        if (nanoTime.getAsLong() - entry.atNanos >= ageMaxNanos) {
            return false;
        }
        if (entry.drops == drops) {
            return true;
        }
        V answer = entry.answer.result();
        if (answer == null) {
            return false;
        }
        for (Object tag : tagsOf.apply(key, answer)) {
            var drop = dropped.get(tag);
            if (drop != null && drop.nth > entry.drops) {
                return false;
            }
        }
        return true;
    }

    private void weigh(K key, Entry<V> entry, V answer) {
        long heavy = weigher.applyAsLong(answer);
        if (heavy > weightMax / HEAVIEST_PART) {
            entries.asMap().remove(key, entry);
        } else if (heavy > 0) {
            entry.weight = heavy;
            entries.asMap().replace(key, entry, entry); // weighs it anew, unless it was dropped meanwhile
        }
    }
}
