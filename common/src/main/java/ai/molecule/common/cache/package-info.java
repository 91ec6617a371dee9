/**
 * What may be remembered between two requests: briefly, within bounds, and never after somebody said that it changed.
 */
@NullMarked
package ai.molecule.common.cache;

import org.jspecify.annotations.NullMarked;
