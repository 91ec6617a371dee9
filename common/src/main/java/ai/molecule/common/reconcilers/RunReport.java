package ai.molecule.common.reconcilers;

import ai.molecule.common.bus.ReconcilerStatus;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What one reconciler says of itself after every run. Safe for any thread. */
public final class RunReport {

    private final Clock clock;
    private final String purpose;
    private volatile ReconcilerStatus.One status;
    private volatile @Nullable Running running;

    private record Running(Instant since, Duration deadline, String waitsFor) {

        Duration elapsed(Instant now) {
            return Duration.between(since, now);
        }
    }

    RunReport(String name, String purpose, Clock clock) {
        this.clock = clock;
        this.purpose = purpose;
        this.status = new ReconcilerStatus.One(name, null, null, "", true, "has not run yet: " + purpose);
    }

    /** @param did what this run did, such as {@code took 2 workspaces offline} */
    public void done(String did) {
        done(did, purpose);
    }

    /** @param says what a person should know instead of the purpose */
    public void done(String did, String says) {
        var now = clock.instant();
        set(now, now, did, true, says);
    }

    /** The work is another replica's at the moment. */
    public void stoodBy() {
        var before = status;
        set(clock.instant(), before.lastSuccessAt(), before.did(), true, "another replica does this: " + purpose);
    }

    public void failed(Throwable why) {
        var before = status;
        String reason = why.getMessage() == null ? why.getClass().getSimpleName() : why.getMessage();
        set(clock.instant(), before.lastSuccessAt(), before.did(), false, "the last run failed: " + reason);
    }

    /** What a run completes with that left the work to another replica. */
    public enum StoodBy {
        STOOD_BY
    }

    /**
     * What a run completes with that may have found what a person should know.
     *
     * @param says null for the purpose
     * @param ok false while what it found needs a person, though the run itself succeeded
     */
    public record Outcome(String did, @Nullable String says, boolean ok) {

        /** Of a run that found nothing wrong. */
        public Outcome(String did, @Nullable String says) {
            this(did, says, true);
        }
    }

    /** Reports how a run ended, once it has, see {@link #ended}. */
    public void follow(Future<?> run) {
        run.onComplete(this::ended);
    }

    /** From now until it {@link #ended}, a run longer than its deadline is shown as one that waits. */
    public void began(Duration deadline, String waitsFor) {
        running = new Running(clock.instant(), deadline, waitsFor);
    }

    /**
     * A text that a run completes with says what it did, a number how many things it dealt with, {@link Outcome} more than that;
     * {@link StoodBy} that it was another replica's.
     */
    public void ended(AsyncResult<?> run) {
        running = null;
        if (run.failed()) {
            failed(run.cause());
            return;
        }
        switch (run.result()) {
            case StoodBy standing -> stoodBy();
            case Number count -> done("dealt with " + count);
            case String did -> done(did);
            case Outcome outcome -> {
                var now = clock.instant();
                set(now, now, outcome.did, outcome.ok, outcome.says == null ? purpose : outcome.says);
            }
            case null, default -> done("did its work");
        }
    }

    public ReconcilerStatus.One status() {
        var last = status;
        var current = running;
        var now = clock.instant();
        return current == null || current.elapsed(now).compareTo(current.deadline) <= 0
                ? last
                : new ReconcilerStatus.One(
                        last.name(),
                        last.lastRunAt(),
                        last.lastSuccessAt(),
                        last.did(),
                        false,
                        "running for %d s, waits for %s"
                                .formatted(current.elapsed(now).toSeconds(), current.waitsFor));
    }

    private void set(Instant ranAt, @Nullable Instant succeededAt, String did, boolean ok, String says) {
        status = new ReconcilerStatus.One(status.name(), ranAt, succeededAt, did, ok, says);
    }
}
