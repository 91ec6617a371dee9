/**
 * Making reality match what is wanted. {@link ai.molecule.provisioner.reconcile.Plan} compares and decides, without a clock or a
 * database; {@link ai.molecule.provisioner.reconcile.Steps} does what was decided; {@link
 * ai.molecule.provisioner.reconcile.Reconciler} does this for one workspace at a time, and {@link
 * ai.molecule.provisioner.reconcile.Sweep} finds those that need it. Every effect is repeated rather than missed: what a crash
 * leaves undone, the next run completes.
 */
@NullMarked
package ai.molecule.provisioner.reconcile;

import org.jspecify.annotations.NullMarked;
