/**
 * Workspaces as processes: started, watched, restarted. Open first {@link ai.molecule.provisioner.ProvisionerVerticle}, then
 * {@link ai.molecule.provisioner.reconcile.Plan}, which decides everything the rest only does.
 */
@NullMarked
package ai.molecule.provisioner;

import org.jspecify.annotations.NullMarked;
