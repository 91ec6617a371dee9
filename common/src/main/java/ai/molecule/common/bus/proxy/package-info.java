/**
 * Contracts served by proxy-service.
 */
@NullMarked
package ai.molecule.common.bus.proxy;

import org.jspecify.annotations.NullMarked;
