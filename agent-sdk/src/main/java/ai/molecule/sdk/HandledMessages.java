package ai.molecule.sdk;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Which messages were handled during the last 24 h, and what was said: a message that is sent again, because its answer was
 * lost on the way, gets the same answer and is not handled twice.
 *
 * <p>At most {@value #ENTRIES_MAX} messages and {@value #ANSWERS_MAX_CHARS} characters of answers are kept; beyond that the
 * oldest message goes, with its answer.
 */
final class HandledMessages {

    static final int ENTRIES_MAX = 10_000;
    static final int ANSWERS_MAX_CHARS = 16 * 1024 * 1024;

    private static final Duration KEPT = Duration.ofHours(24);

    /** @param answer null inside means that the handler said nothing */
    private record Entry(Instant at, CompletableFuture<@Nullable String> answer) {
        int chars() {
            if (!answer.isDone() || answer.isCompletedExceptionally()) {
                return 0;
            }
            String text = answer.getNow(null);
            return text == null ? 0 : text.length();
        }
    }

    private final Clock clock;
    private final Map<String, Entry> entries = new LinkedHashMap<>();
    private long answerChars;

    HandledMessages(Clock clock) {
        this.clock = clock;
    }

    /** Empty when the message is new and the caller has to handle it; else the answer it got, or is going to get. */
    synchronized Optional<CompletableFuture<@Nullable String>> begin(String messageId) {
        Instant now = clock.instant();
        Entry known = entries.get(messageId);
        if (known != null && now.isBefore(known.at().plus(KEPT))) {
            return Optional.of(known.answer());
        }
        remove(messageId);
        entries.put(messageId, new Entry(now, new CompletableFuture<>()));
        shrink(now);
        return Optional.empty();
    }

    void answered(String messageId, @Nullable String answer) {
        Entry entry = find(messageId);
        if (entry != null) {
            entry.answer().complete(answer);
            count(answer);
        }
    }

    void failed(String messageId, Throwable failure) {
        Entry entry = find(messageId);
        if (entry != null) {
            entry.answer().completeExceptionally(failure);
        }
    }

    private synchronized @Nullable Entry find(String messageId) {
        return entries.get(messageId);
    }

    private synchronized void count(@Nullable String answer) {
        answerChars += answer == null ? 0 : answer.length();
        shrink(clock.instant());
    }

    /** What is still being answered stays, whoever asks again has to wait for it. */
    private void shrink(Instant now) {
        Iterator<Entry> oldestFirst = entries.values().iterator();
        while (oldestFirst.hasNext()) {
            Entry oldest = oldestFirst.next();
            boolean outdated = !now.isBefore(oldest.at().plus(KEPT));
            boolean tooMuch = entries.size() > ENTRIES_MAX || answerChars > ANSWERS_MAX_CHARS;
            if (!outdated && !tooMuch) {
                return;
            }
            if (oldest.answer().isDone()) {
                answerChars -= oldest.chars();
                oldestFirst.remove();
            }
        }
    }

    private void remove(String messageId) {
        Entry entry = entries.remove(messageId);
        answerChars -= entry == null ? 0 : entry.chars();
    }
}
