/** What was done for each workspace, remembered across restarts of the provisioner. */
@NullMarked
package ai.molecule.provisioner.instances;

import org.jspecify.annotations.NullMarked;
