/** Agent cards as A2A clients fetch them from the platform, with the front door's own addresses. */
@NullMarked
package ai.molecule.registry.cards;

import org.jspecify.annotations.NullMarked;
