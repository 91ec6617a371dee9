/** Programs that an agent starts: where they are, and how all of one ends. */
@NullMarked
package ai.molecule.runtime.processes;

import org.jspecify.annotations.NullMarked;
