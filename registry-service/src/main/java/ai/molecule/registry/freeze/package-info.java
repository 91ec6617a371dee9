/**
 * When many die at once the fault is ours rather than theirs: automatic restarts wait until the engine is well and agents are heard again.
 */
@NullMarked
package ai.molecule.registry.freeze;

import org.jspecify.annotations.NullMarked;
