/** What agents run in, behind one interface. A backend does as it is told; what should run is decided elsewhere. */
@NullMarked
package ai.molecule.provisioner.backend;

import org.jspecify.annotations.NullMarked;
