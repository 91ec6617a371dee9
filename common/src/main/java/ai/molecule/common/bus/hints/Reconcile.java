package ai.molecule.common.bus.hints;

import ai.molecule.common.bus.Hint;
import java.util.UUID;

/** Asks one provisioner to look at a workspace's desired state now; its sweep would do so within 15 s anyway. */
public record Reconcile(UUID workspaceId) {

    public static final Hint<Reconcile> HINT = new Hint<>("hint.reconcile", Reconcile.class);
}
