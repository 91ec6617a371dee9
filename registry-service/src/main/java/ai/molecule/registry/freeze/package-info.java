/**
 * When many die at once the fault is ours rather than theirs: automatic restarts wait until the engine and the stores are well.
 */
@NullMarked
package ai.molecule.registry.freeze;

import org.jspecify.annotations.NullMarked;
