/**
 * Event streams of agents and their journal. A {@link ai.molecule.proxy.streams.Relay} reads an agent, numbers its events, gives
 * them to readers at once and to the {@link ai.molecule.proxy.streams.Journal} for its next group commit. A {@link
 * ai.molecule.proxy.streams.Reader} takes what is not yet committed from the relay and everything else from the journal, so it
 * may be on any replica and come back at any position. A stream whose owner died is adopted (docs/adr/0005).
 */
@NullMarked
package ai.molecule.proxy.streams;

import org.jspecify.annotations.NullMarked;
