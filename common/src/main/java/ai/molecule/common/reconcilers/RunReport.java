package ai.molecule.common.reconcilers;

import ai.molecule.common.bus.ReconcilerStatus;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What one reconciler says of itself after every run. Safe for any thread. */
public final class RunReport {

    private final Clock clock;
    private final String purpose;
    private volatile ReconcilerStatus.One status;

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

    /** Reports how a run ended, once it has. A number that it completes with is how many things it dealt with. */
    public void follow(Future<?> run) {
        run.onSuccess(outcome -> done(outcome instanceof Number count ? "dealt with " + count : "did its work"))
                .onFailure(this::failed);
    }

    public ReconcilerStatus.One status() {
        return status;
    }

    private void set(Instant ranAt, @Nullable Instant succeededAt, String did, boolean ok, String says) {
        status = new ReconcilerStatus.One(status.name(), ranAt, succeededAt, did, ok, says);
    }
}
