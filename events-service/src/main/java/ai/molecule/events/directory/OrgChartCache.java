package ai.molecule.events.directory;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.hints.WorkspaceChanged;
import ai.molecule.common.bus.registry.Directory;
import ai.molecule.common.bus.registry.Directory.Entry;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The org chart, asked of the registry at most every two seconds and again after every {@link WorkspaceChanged}. Fails when the
 * registry does not answer: an old chart is never used beyond its age. To be used on one event loop.
 */
public final class OrgChartCache {

    private static final Duration AGE_MAX = Duration.ofSeconds(2);

    private final Bus bus;
    private @Nullable Future<OrgChart> latest; // without a context once answered, so that it composes at once
    private long askedAtNanos;
    private boolean changedSince;

    public OrgChartCache(Bus bus) {
        this.bus = bus;
        bus.listen(WorkspaceChanged.HINT, hint -> changedSince = true);
    }

    /** At most two seconds old; completed already when there is one. */
    public Future<OrgChart> current() {
        boolean usable = latest != null && !changedSince && System.nanoTime() - askedAtNanos < AGE_MAX.toNanos();
        return usable && latest != null ? latest : ask();
    }

    /** A workspace, removed ones too. Who has just been created may speak at once, so an unknown one is asked for again. */
    public Future<Optional<Entry>> find(UUID workspaceId) {
        long askedAt = System.nanoTime();
        return current()
                .compose(chart ->
                        chart.find(workspaceId).isPresent() ? Future.succeededFuture(chart) : askedAfter(askedAt))
                .map(chart -> chart.find(workspaceId));
    }

    /** As the registry knew it at some time after {@code nanos}: for one who has just learned of something new. */
    public Future<OrgChart> askedAfter(long nanos) {
        return latest != null && askedAtNanos - nanos > 0 ? latest : ask();
    }

    private Future<OrgChart> ask() {
        long now = System.nanoTime();
        askedAtNanos = now;
        changedSince = false;
        var asked = bus.call(Directory.CONTRACT, new Directory()).map(snapshot -> OrgChart.of(snapshot, now));
        latest = asked;
        return asked.onComplete(answer -> {
            if (latest == asked) {
                latest = answer.succeeded() ? Future.succeededFuture(answer.result()) : null;
            }
        });
    }
}
