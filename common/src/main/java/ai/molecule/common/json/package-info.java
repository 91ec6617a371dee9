/**
 * JSON as the wire wants it: compact, exact numbers, uniform timestamps.
 */
@NullMarked
package ai.molecule.common.json;

import org.jspecify.annotations.NullMarked;
