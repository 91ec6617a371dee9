/** Who exists, where, who may talk to whom, who lives. */
@NullMarked
package ai.molecule.registry;

import org.jspecify.annotations.NullMarked;
