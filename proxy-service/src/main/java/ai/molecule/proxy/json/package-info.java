/**
 * Finding and replacing a few members of a JSON text without rebuilding it, so that everything else keeps its bytes.
 */
@NullMarked
package ai.molecule.proxy.json;

import org.jspecify.annotations.NullMarked;
