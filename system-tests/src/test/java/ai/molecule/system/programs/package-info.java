/** Programs of others, run by the platform as they come from the registry of their packages. */
@NullMarked
package ai.molecule.system.programs;

import org.jspecify.annotations.NullMarked;
