package ai.molecule.provisioner.reconcile;

import io.vertx.core.Future;
import java.util.UUID;
import java.util.function.Function;

/**
 * Two lanes: in one workspaces are looked at and what is to end is ended, in the other agents are started, which may take as long as
 * an image takes. However many starts hang, an end waits for none but those of its own workspace.
 */
final class Lanes {

    private final SingleFlight<Boolean> looks;
    private final SingleFlight<Void> starts;

    /**
     * @param look whether a start is due; everything else it has done
     * @param start looks again, for it may have waited, and starts
     */
    Lanes(int looksMax, Function<UUID, Future<Boolean>> look, int startsMax, Function<UUID, Future<Void>> start) {
        this.looks = new SingleFlight<>(looksMax, look);
        this.starts = new SingleFlight<>(startsMax, start);
    }

    /** Completes when a look that began after the asking has been followed, by a start too. */
    Future<Void> run(UUID workspaceId) {
        var begun = starts.underWay(workspaceId);
        return begun.isPresent()
                ? begun.get().transform(over -> run(workspaceId))
                : looks.run(workspaceId)
                        .compose(due -> due
                                ? starts.run(workspaceId)
                                : starts.underWay(workspaceId).isPresent()
                                        ? run(workspaceId) // somebody else's look had it begun, and ours found it
                                        // locked
                                        : Future.succeededFuture());
    }

    /** The same for whoever cannot wait for starts: one that is due is begun, of one under way nothing is asked. */
    Future<Void> look(UUID workspaceId) {
        return starts.underWay(workspaceId).isPresent()
                ? Future.succeededFuture()
                : looks.run(workspaceId)
                        .onSuccess(due -> {
                            if (due) {
                                starts.run(workspaceId);
                            }
                        })
                        .mapEmpty();
    }

    /** Begins nothing any more; completes when what runs has ended. */
    Future<Void> close() {
        return Future.join(looks.close(), starts.close()).mapEmpty();
    }
}
