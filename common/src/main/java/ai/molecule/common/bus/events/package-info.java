/** What events-service is asked over the bus. */
@NullMarked
package ai.molecule.common.bus.events;

import org.jspecify.annotations.NullMarked;
