package ai.molecule.proxy.models;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.registry.UnmeteredWorkspaces;
import io.vertx.core.Future;
import java.util.List;
import java.util.UUID;

/** Whose models nobody meters. */
public final class Unmetered {

    private Unmetered() {}

    /** Nobody knows them while the registry is away; what was metered is told all the same. */
    public static Future<List<UUID>> workspaces(Bus bus) {
        return bus.call(UnmeteredWorkspaces.CONTRACT, new UnmeteredWorkspaces())
                .map(UnmeteredWorkspaces.Ids::ids)
                .otherwise(List.of());
    }
}
