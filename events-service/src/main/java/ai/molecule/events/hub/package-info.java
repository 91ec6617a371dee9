/**
 * The hub: every event once, in order, to everybody it is for.
 *
 * <p>{@link ai.molecule.events.hub.LogTail} follows the event log by position, the bus brings ephemeral events, and
 * {@link ai.molecule.events.hub.Hub} offers them in {@link ai.molecule.events.hub.Parcel}s, encoded once, to its subscribers. A subscriber that
 * names a position first gets a {@link ai.molecule.events.hub.Replay}. Everything here runs on one event loop, so that "caught
 * up" and "live" are one step and nothing falls between them.
 */
@NullMarked
package ai.molecule.events.hub;

import org.jspecify.annotations.NullMarked;
