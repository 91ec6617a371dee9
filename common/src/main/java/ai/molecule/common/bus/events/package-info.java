/**
 * Contracts served by events-service.
 */
@NullMarked
package ai.molecule.common.bus.events;

import org.jspecify.annotations.NullMarked;
