package ai.molecule.common.bus.registry;

import ai.molecule.common.bus.Contract;
import java.util.UUID;

/**
 * Puts an agent of ours to sleep: status {@code hibernated}, its process is to be stopped, its folder stays. Called by the provisioner for
 * the route. Repeated it fails with NOT_FOUND, because the workspace is asleep then.
 *
 * <p>Fails with NOT_FOUND for one that is neither online nor degraded, with CONFLICT for one that we do not run, and without {@code force}
 * for one that works or waits for an approval, and with UNAVAILABLE while nobody can say whether it works.
 *
 * @param force whatever it is at
 */
public record Hibernate(UUID workspaceId, boolean force) {

    public static final Contract<Hibernate, Hibernated> CONTRACT =
            Contract.of("registry.hibernate", Hibernate.class, Hibernated.class);

    public record Hibernated(UUID workspaceId) {}
}
