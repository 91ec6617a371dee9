/**
 * Every path that is not the proxy's own goes to the service that owns it.
 */
@NullMarked
package ai.molecule.proxy.frontdoor;

import org.jspecify.annotations.NullMarked;
