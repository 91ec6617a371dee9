package ai.molecule.common.cache;

import ai.molecule.common.tracing.Tracing;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Answers remembered for a short time. The cache keeps the pending answer, not its value: many who ask at once then share one
 * read, and nobody who asks after a {@link #drop} sees a read that began before it. A failure is not remembered. When full it
 * forgets everything. To be used on one event loop.
 */
public final class BriefCache<K, V> {

    /** An answer that weighs more than this part of the whole is not remembered. */
    private static final int HEAVIEST_PART = 8;

    private static final class Entry<V> {
        private final Future<V> answer;
        private final long atNanos;
        private long weight;

        Entry(Future<V> answer, long atNanos) {
            this.answer = answer;
            this.atNanos = atNanos;
        }
    }

    private final long ageMaxNanos;
    private final int entriesMax;
    private final long weightMax;
    private final ToLongFunction<V> weigher;
    private final LongSupplier nanoTime;
    private final Map<K, Entry<V>> entries = new HashMap<>();
    private long weight;

    public BriefCache(Duration ageMax, int entriesMax) {
        this(ageMax, entriesMax, Long.MAX_VALUE, answer -> 0);
    }

    /** @param weightMax of all answers together, in the unit of {@code weigher}, such as bytes */
    public BriefCache(Duration ageMax, int entriesMax, long weightMax, ToLongFunction<V> weigher) {
        this(ageMax, entriesMax, weightMax, weigher, System::nanoTime);
    }

    BriefCache(Duration ageMax, int entriesMax, long weightMax, ToLongFunction<V> weigher, LongSupplier nanoTime) {
        this.ageMaxNanos = ageMax.toNanos();
        this.entriesMax = entriesMax;
        this.weightMax = weightMax;
        this.weigher = weigher;
        this.nanoTime = nanoTime;
    }

    /** The remembered answer, else that of {@code read}, which is then remembered from now on, not from its completion. */
    public Future<V> get(K key, Function<K, Future<V>> read) {
        var known = entries.get(key);
        if (known != null && nanoTime.getAsLong() - known.atNanos < ageMaxNanos) {
            return Tracing.here(known.answer);
        }
        drop(key);
        if (entries.size() >= entriesMax) {
            clear();
        }
        long asked = nanoTime.getAsLong();
        var entry = new Entry<>(read.apply(key), asked);
        entries.put(key, entry);
        entry.answer.onSuccess(answer -> weigh(key, entry, answer)).onFailure(failure -> entries.remove(key, entry));
        return entry.answer;
    }

    /** The answer if it is remembered, young and already here. */
    public @Nullable V find(K key) {
        var known = entries.get(key);
        return known != null && nanoTime.getAsLong() - known.atNanos < ageMaxNanos ? known.answer.result() : null;
    }

    /** To be called when the value changed: whoever asks from now on gets what is read from now on. */
    public void drop(K key) {
        var gone = entries.remove(key);
        if (gone != null) {
            weight -= gone.weight;
        }
    }

    public void clear() {
        entries.clear();
        weight = 0;
    }

    private void weigh(K key, Entry<V> entry, V answer) {
        if (entries.get(key) != entry) {
            return; // dropped meanwhile
        }
        long heavy = weigher.applyAsLong(answer);
        if (heavy > weightMax / HEAVIEST_PART) {
            entries.remove(key);
            return;
        }
        if (weight + heavy > weightMax) {
            clear();
            entries.put(key, entry);
        }
        entry.weight = heavy;
        weight += heavy;
    }
}
