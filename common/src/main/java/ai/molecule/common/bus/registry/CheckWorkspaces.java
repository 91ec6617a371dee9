package ai.molecule.common.bus.registry;

import ai.molecule.common.bus.Contract;
import java.time.Duration;
import java.util.List;

/**
 * Asks whether {@link CreateWorkspaces} would create these now: fails as that fails, and else answers and changes nothing. Called for an import's
 * preview. It has an address of its own: a registry that does not know it creates nobody by mistake.
 *
 * @param workspaces parents before their children, at most {@link CreateWorkspaces#MAX}
 */
public record CheckWorkspaces(List<CreateWorkspaces.Item> workspaces) {

    /** Of a thousand it takes what creating them takes. */
    private static final Duration DEADLINE = Duration.ofSeconds(30);

    public static final Contract<CheckWorkspaces, Checked> CONTRACT =
            new Contract<>("registry.check-workspaces", CheckWorkspaces.class, Checked.class, DEADLINE);

    /** @param count how many it would be */
    public record Checked(int count) {}
}
