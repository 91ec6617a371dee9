/**
 * Expand and collapse: the team that a workspace's template names comes into being below it, and goes again. The registry writes
 * both; what runs follows by the reconciler.
 */
@NullMarked
package ai.molecule.provisioner.teams;

import org.jspecify.annotations.NullMarked;
