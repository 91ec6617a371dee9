package ai.molecule.provisioner.imports;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.registry.SetDesired;
import io.vertx.core.Future;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;

/**
 * Has imported workspaces run.
 *
 * @param reconcile has the reconciler look at a workspace now
 */
record Starting(Bus bus, Function<UUID, Future<Void>> reconcile) {

    /** Resumes each with all that is paused below it. */
    Future<Void> resume(List<UUID> topmost) {
        return Future.join(topmost.stream().map(this::resume).toList()).mapEmpty();
    }

    private Future<Void> resume(UUID top) {
        return bus.call(SetDesired.CONTRACT, new SetDesired(top, SetDesired.Action.RESUME, null, null))
                .onSuccess(done ->
                        Future.join(done.changed().stream().map(reconcile).toList()))
                .mapEmpty();
    }
}
