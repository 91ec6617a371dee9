/**
 * Who exists and under whom, as the registry tells it: kept briefly, used to decide which events an agent may see and to name
 * senders.
 */
@NullMarked
package ai.molecule.events.directory;

import org.jspecify.annotations.NullMarked;
