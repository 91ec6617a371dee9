/**
 * Heartbeats: gathered, committed in groups, judged in arrival order, answered after the commit.
 */
@NullMarked
package ai.molecule.registry.heartbeats;

import org.jspecify.annotations.NullMarked;
