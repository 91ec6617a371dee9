/** Workspaces as processes: started, watched, restarted. */
@NullMarked
package ai.molecule.provisioner;

import org.jspecify.annotations.NullMarked;
