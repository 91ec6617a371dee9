/** The event hub: structure events, activity, live streams. */
@NullMarked
package ai.molecule.events;

import org.jspecify.annotations.NullMarked;
