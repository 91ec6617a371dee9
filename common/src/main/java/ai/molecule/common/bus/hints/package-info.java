/**
 * Hints: published, possibly lost, never the only way to learn something.
 */
@NullMarked
package ai.molecule.common.bus.hints;

import org.jspecify.annotations.NullMarked;
