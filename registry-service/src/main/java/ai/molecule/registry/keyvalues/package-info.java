/**
 * Key/value memory: what an agent keeps under a key, with a version that guards writes and a time to live. An expired key is
 * hidden at once and keeps its version for a day; then the sweep deletes it.
 */
@NullMarked
package ai.molecule.registry.keyvalues;

import org.jspecify.annotations.NullMarked;
