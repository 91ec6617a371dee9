package ai.molecule.registry.discovery;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.hints.WorkspaceChanged;
import ai.molecule.common.cache.BriefCache;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/**
 * Who is near whom, and everybody's entry in such lists as bytes, remembered for at most two seconds. What changes here is
 * forgotten before the change is answered; of what another replica changes its hint tells, or the age. To be used on one
 * event loop.
 */
public final class PeerBook {

    private static final Duration AGE_MAX = Duration.ofSeconds(2);
    private static final int ENTRIES_MAX = 50_000;
    private static final long ENTRIES_MAX_BYTES = 32 * 1024 * 1024;
    private static final int LISTS_MAX = 10_000;
    private static final long LISTED_MAX = 1_000_000;

    /** What an entry takes beside its bytes, about. */
    private static final int ENTRY_OVERHEAD_BYTES = 250;

    private final PgDiscoveryStore store;
    private final FrontDoorAddress frontDoor;
    private final BriefCache<UUID, Optional<List<UUID>>> lists = new BriefCache<>(
            AGE_MAX, LISTS_MAX, LISTED_MAX, list -> list.map(List::size).orElse(0));
    private final BriefCache<UUID, Optional<PeerEntry>> entries =
            new BriefCache<>(AGE_MAX, ENTRIES_MAX, ENTRIES_MAX_BYTES, PeerBook::bytes);

    public PeerBook(PgDiscoveryStore store, FrontDoorAddress frontDoor, Bus bus) {
        this.store = store;
        this.frontDoor = frontDoor;
        bus.listen(WorkspaceChanged.HINT, hint -> changed(hint.workspaceId()));
    }

    /** Siblings, then children, then the parent; empty when the workspace is unknown. */
    Future<Optional<List<PeerEntry>>> of(UUID id) {
        return lists.get(id, store::neighbours)
                .compose(near -> near.isEmpty()
                        ? Future.succeededFuture(Optional.empty())
                        : entriesOf(near.get()).map(Optional::of));
    }

    /** Somebody came, went, moved, or is described in other words. */
    public void changed(UUID id) {
        lists.clear();
        entries.drop(id);
    }

    /** A heartbeat said how much a workspace has to do. */
    public void reported(UUID id, int activeTasks) {
        var known = entries.find(id);
        if (known == null || known.isEmpty() || known.get().activeTasks() != activeTasks) {
            entries.drop(id);
        }
    }

    /** What is not remembered is read at once, in one statement. */
    private Future<List<PeerEntry>> entriesOf(List<UUID> ids) {
        List<UUID> unknown = new ArrayList<>();
        Promise<Map<UUID, Peer>> read = Promise.promise();
        Function<UUID, Future<Optional<PeerEntry>>> reading = id -> {
            unknown.add(id);
            return read.future()
                    .map(found -> Optional.ofNullable(found.get(id)).map(peer -> PeerEntry.of(peer, frontDoor)));
        };
        List<Future<Optional<PeerEntry>>> sought = new ArrayList<>(ids.size());
        for (UUID id : ids) {
            sought.add(entries.get(id, reading));
        }
        if (!unknown.isEmpty()) {
            store.peers(unknown).onComplete(read);
        }
        for (var entry : sought) {
            if (!entry.succeeded()) {
                return Future.all(sought).map(all -> present(sought));
            }
        }
        return Future.succeededFuture(present(sought));
    }

    private static List<PeerEntry> present(List<Future<Optional<PeerEntry>>> read) {
        List<PeerEntry> present = new ArrayList<>(read.size());
        for (var entry : read) {
            entry.result().ifPresent(present::add);
        }
        return present;
    }

    private static long bytes(Optional<PeerEntry> entry) {
        return ENTRY_OVERHEAD_BYTES
                + entry.map(known -> known.json().length + known.withoutCard().length)
                        .orElse(0);
    }
}
