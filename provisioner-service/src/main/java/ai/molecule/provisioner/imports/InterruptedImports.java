package ai.molecule.provisioner.imports;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.registry.RemoveWorkspace;
import ai.molecule.common.bus.registry.ResolveRoute;
import ai.molecule.common.loops.InTurn;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.provisioner.imports.PgImportStore.Held;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finishes imports that a crash cut short. Whoever asked for one got no answer and will ask again: where files are missing
 * everything is removed, as if nothing had been created; where all are written everything is started, as was asked. What somebody
 * resumed meanwhile is left to them. Idempotent, one at a time; what fails is tried again by the next run.
 */
public final class InterruptedImports {

    private static final Logger LOGGER = LoggerFactory.getLogger(InterruptedImports.class);

    private final PgImportStore store;
    private final Bus bus;
    private final Starting starting;

    InterruptedImports(PgImportStore store, Bus bus, Starting starting) {
        this.store = store;
        this.bus = bus;
        this.starting = starting;
    }

    public InterruptedImports(PgImportStore store, Bus bus, Function<UUID, Future<Void>> reconcile) {
        this(store, bus, new Starting(bus, reconcile));
    }

    /** How many were finished, of at most {@link PgImportStore#LIST_MAX}; one that cannot be finished holds up no other. */
    public Future<Integer> run() {
        return store.list().compose(ids -> {
            List<Throwable> failures = new ArrayList<>();
            Future<Integer> finished = Future.succeededFuture(0);
            for (var id : ids) {
                finished = finished.compose(
                        before -> finish(id).map(done -> before + done).otherwise(failure -> {
                            failures.add(failure);
                            return before;
                        }));
            }
            return finished.compose(count ->
                    failures.isEmpty() ? Future.succeededFuture(count) : Future.failedFuture(failures.getFirst()));
        });
    }

    private Future<Integer> finish(UUID id) {
        return store.take(id)
                .compose(taken -> taken.isPresent() ? finish(taken.get()).map(1) : Future.succeededFuture(0));
    }

    private Future<Void> finish(Held held) {
        var about = held.about();
        return (about.equipped()
                        ? complete(about).compose(done -> held.end(Optional.empty()))
                        : undo(about).compose(done -> held.drop()))
                .recover(failure -> held.leave().transform(left -> Future.failedFuture(failure)));
    }

    private Future<Void> complete(OpenImport about) {
        log(about, "an import that a crash cut short was completed");
        return about.start()
                ? starting.resume(about.managed())
                        .recover(failure -> failure instanceof ApiError error
                                        && error.kind().status() < 500
                                ? Future.succeededFuture() // it runs already, or is removed
                                : Future.failedFuture(failure))
                : Future.succeededFuture();
    }

    private Future<Void> undo(OpenImport about) {
        return allAsCreated(about.managed()).compose(untouched -> {
            if (!untouched) {
                LOGGER.atWarn()
                        .addKeyValue("workspaces", about.roots())
                        .log(
                                "an import was cut short by a crash, and somebody resumed its workspaces: files may be missing");
                return Future.succeededFuture();
            }
            log(about, "an import that a crash cut short was undone");
            return InTurn.each(about.roots(), root -> bus.call(RemoveWorkspace.CONTRACT, new RemoveWorkspace(root)))
                    .mapEmpty();
        });
    }

    /** Paused, or not there at all. */
    private Future<Boolean> allAsCreated(List<UUID> managed) {
        Future<Boolean> all = Future.succeededFuture(true);
        for (var id : managed) {
            all = all.compose(before -> bus.call(ResolveRoute.CONTRACT, new ResolveRoute(id, null))
                    .map(route -> before
                            && (!route.found()
                                    || route.status() == WorkspaceStatus.PAUSED
                                    || route.status() == WorkspaceStatus.REMOVED)));
        }
        return all;
    }

    private static void log(OpenImport about, String what) {
        LOGGER.atWarn().addKeyValue("workspaces", about.roots()).log(what);
    }
}
