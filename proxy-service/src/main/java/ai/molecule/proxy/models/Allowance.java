package ai.molecule.proxy.models;

import io.vertx.core.Future;
import java.util.List;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * How much one call may write: a first slice, and another whenever there is money for it. Without a limit it may write what it wants.
 * To be used on one event loop.
 */
final class Allowance {

    private final boolean limited;
    private final List<ModelAccount> teams;
    private final int slice;
    private final BiFunction<Long, Integer, Future<Long>> ask;
    private final @Nullable Long outputMax;
    private long tokens;
    private long written;
    private boolean exhausted;
    private @Nullable Future<?> asking;

    /**
     * @param tokens paid for already
     * @param teams those the call counts for
     * @param outputMax tokens that the provider is told each answer may have; null where it is stopped on its way
     * @param ask told how many were written, asks for money for so many more and completes with how many it got, 0 for none
     */
    Allowance(
            long tokens,
            int slice,
            List<ModelAccount> teams,
            @Nullable Long outputMax,
            BiFunction<Long, Integer, Future<Long>> ask) {
        this(true, tokens, slice, teams, outputMax, ask);
    }

    private Allowance(
            boolean limited,
            long tokens,
            int slice,
            List<ModelAccount> teams,
            @Nullable Long outputMax,
            BiFunction<Long, Integer, Future<Long>> ask) {
        this.outputMax = outputMax;
        this.limited = limited;
        this.teams = teams;
        this.tokens = tokens;
        this.slice = slice;
        this.ask = ask;
    }

    static Allowance withoutLimit(List<ModelAccount> teams) {
        return new Allowance(false, Long.MAX_VALUE, 0, teams, null, (written, tokens) -> Future.succeededFuture(0L));
    }

    boolean limited() {
        return limited;
    }

    /** Those the call counts for. */
    List<ModelAccount> teams() {
        return teams;
    }

    /** What the provider is told that each answer may have; null for no bound. */
    @Nullable
    Long outputMax() {
        return outputMax;
    }

    /** Tokens paid for. */
    long tokens() {
        return tokens;
    }

    /** As last told. */
    long written() {
        return written;
    }

    /** Whether what was written is more than is paid for, as far as one knows now. */
    boolean overdrawn(long written) {
        return limited() && written >= tokens;
    }

    /** Whether there is nothing more to be had. */
    boolean exhausted() {
        return exhausted;
    }

    /** To be told how much was written; asks for the next slice when half of the last one is left. {@code answered} runs after each answer. */
    void wrote(long writtenNow, Runnable answered) {
        written = writtenNow;
        if (!limited() || asking != null || exhausted || writtenNow < tokens - slice / 2) {
            return;
        }
        int wanted = (int) Math.min(Integer.MAX_VALUE, Math.max(slice, writtenNow - tokens + slice));
        var question = ask.apply(writtenNow, wanted);
        asking = question;
        question.onComplete(answer -> {
            asking = null;
            long got = answer.succeeded() ? answer.result() : 0;
            tokens += got;
            exhausted = got == 0;
            answered.run();
        });
    }

    /** Completes when no question is open: before that nobody knows what the call was promised. */
    Future<?> settled() {
        var open = asking;
        return open == null ? Future.succeededFuture() : open.otherwiseEmpty();
    }
}
