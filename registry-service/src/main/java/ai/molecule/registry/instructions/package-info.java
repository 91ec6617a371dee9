/**
 * House rules: what administrators tell agents, all of them, a team with all below it, or one. Kept in {@code instructions}, read by an
 * agent as one text ({@link ai.molecule.registry.instructions.HouseRules}) that stands at the beginning of its prompt.
 */
@NullMarked
package ai.molecule.registry.instructions;

import org.jspecify.annotations.NullMarked;
