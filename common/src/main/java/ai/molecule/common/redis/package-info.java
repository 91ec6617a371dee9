/**
 * Redis: what may be lost. Every call here fails fast and nobody's truth depends on it.
 */
@NullMarked
package ai.molecule.common.redis;

import org.jspecify.annotations.NullMarked;
