/**
 * What the background work of all four services has been doing, on one page.
 */
@NullMarked
package ai.molecule.proxy.liveness;

import org.jspecify.annotations.NullMarked;
