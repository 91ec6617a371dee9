/**
 * The canvas viewport that all browser tabs share.
 */
@NullMarked
package ai.molecule.registry.canvas;

import org.jspecify.annotations.NullMarked;
