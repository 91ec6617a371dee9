/**
 * The event log: appended in the caller's transaction, numbered by one sequencer, read by position.
 */
@NullMarked
package ai.molecule.common.events;

import org.jspecify.annotations.NullMarked;
