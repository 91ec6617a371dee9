package ai.molecule.common.directory;

import ai.molecule.common.auth.Caller;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.hints.WorkspaceChanged;
import ai.molecule.common.bus.registry.Directory;
import ai.molecule.common.bus.registry.Directory.Entry;
import ai.molecule.common.cache.BriefCache;
import ai.molecule.common.http.NamedTenant;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The org chart, asked of the registry at most every two seconds and again after every {@link WorkspaceChanged}. Fails when the
 * registry does not answer: an old chart is never used beyond its age. To be used on one event loop.
 */
public final class OrgChartCache {

    private static final Directory QUESTION = new Directory();

    private final Bus bus;
    private final @Nullable String orgId;
    private final BriefCache<Directory, OrgChart> charts = new BriefCache<>(Duration.ofSeconds(2), 1);
    private long askedAtNanos = System.nanoTime();

    public OrgChartCache(Bus bus) {
        this(bus, null);
    }

    /** @param orgId the only organisation that is served here; null where a request may name a tenant */
    public OrgChartCache(Bus bus, @Nullable String orgId) {
        this.bus = bus;
        this.orgId = orgId;
        bus.listen(WorkspaceChanged.HINT, hint -> charts.drop(QUESTION));
    }

    /** At most two seconds old; completed already, and without a context, so that it composes at once, when there is one. */
    public Future<OrgChart> current() {
        var known = charts.find(QUESTION);
        return known != null ? Future.succeededFuture(known) : charts.get(QUESTION, this::ask);
    }

    /** What a person of branches only may be shown, removed workspaces among it; empty for everybody else, who may be shown all. */
    public Future<Optional<Set<UUID>>> shownTo(Caller caller) {
        var person = caller.person();
        return person == null || person.organisation() != null
                ? Future.succeededFuture(Optional.empty())
                : current().map(chart -> Optional.of(chart.within(Set.copyOf(person.branches()))));
    }

    /**
     * The same, and of a tenant that the request names that one's alone: a view for whoever may be shown all. Throws INVALID.
     *
     * @param header what {@link NamedTenant#HEADER} says
     */
    public Future<Optional<Set<UUID>>> shownTo(Caller caller, @Nullable String header) {
        var own = shownTo(caller);
        String tenant = NamedTenant.of(header, orgId);
        return tenant == null
                ? own
                : current()
                        .map(chart -> chart.ofTenant(tenant))
                        .compose(theirs -> own.map(shown -> Optional.of(theirs.stream()
                                .filter(id -> shown.isEmpty() || shown.get().contains(id))
                                .collect(Collectors.toUnmodifiableSet()))));
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
        if (askedAtNanos - nanos <= 0) {
            charts.drop(QUESTION);
        }
        return current();
    }

    private Future<OrgChart> ask(Directory question) {
        long now = System.nanoTime();
        askedAtNanos = now;
        return bus.call(Directory.CONTRACT, question).map(snapshot -> OrgChart.of(snapshot, now));
    }
}
