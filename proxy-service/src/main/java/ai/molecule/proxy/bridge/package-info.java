/**
 * Between two versions of A2A: what a caller says in one reaches an agent that speaks the other, and the agent's answers and events come back
 * in the caller's. What is the same in both keeps its place, also members that neither names; what cannot be said in the other is refused with
 * the member's name (docs/adr/0032).
 */
@NullMarked
package ai.molecule.proxy.bridge;

import org.jspecify.annotations.NullMarked;
