/** Agents elsewhere that were added by their URL and say nothing of themselves: their card is looked up there. */
@NullMarked
package ai.molecule.registry.externals;

import org.jspecify.annotations.NullMarked;
