package ai.molecule.registry.discovery;

import ai.molecule.common.auth.Caller;
import io.vertx.core.Future;
import java.util.UUID;

/** Of whom an agent knows nothing: workspaces of another tenant are to it as if there were none. */
public record Strangers(PgDiscoveryStore store) {

    /** Whether the caller is an agent, and the workspace unknown or of another tenant than it. */
    public Future<Boolean> areTo(Caller caller, UUID workspaceId) {
        var asking = caller.workspaceId();
        return asking == null || asking.equals(workspaceId)
                ? Future.succeededFuture(false)
                : store.sameTenant(asking, workspaceId).map(same -> !same);
    }
}
