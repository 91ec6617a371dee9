package ai.molecule.common.bus.registry;

import ai.molecule.common.bus.Contract;
import java.util.List;
import java.util.UUID;

/**
 * Whose programs have a login of their own, as their cards say, so that nobody meters what their models cost. Called by the proxy when
 * somebody asks what was used. Reads only, so it may be repeated.
 */
public record UnmeteredWorkspaces() {

    public static final Contract<UnmeteredWorkspaces, Ids> CONTRACT =
            Contract.reading("registry.unmetered-workspaces", UnmeteredWorkspaces.class, Ids.class);

    /** The oldest first, at most 1,000. */
    public record Ids(List<UUID> ids) {}
}
