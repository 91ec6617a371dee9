package ai.molecule.common.bus.registry;

import ai.molecule.common.bus.Contract;
import java.util.List;
import java.util.UUID;

/**
 * After how many idle minutes workspaces sleep, as what is imported says; those below one that say nothing go by it. Called by the import of
 * organisations and bundles once the workspaces exist; the same again changes nothing, and one that is gone is passed over.
 */
public record SetIdleMinutes(List<One> workspaces) {

    /** More than a year is as good as never, which is 0. */
    public static final int MINUTES_MAX = 525_600;

    public static final Contract<SetIdleMinutes, Done> CONTRACT =
            Contract.of("registry.set-idle-minutes", SetIdleMinutes.class, Done.class);

    /** @param minutes 0 for never */
    public record One(UUID id, int minutes) {}

    public record Done(int set) {}
}
