/**
 * The inbox: one row for each thing that waits for a person, whatever it is. It is a projection of the event log: {@link
 * ai.molecule.events.inbox.InboxSource} is the table of what opens and what resolves a row, one replica at a time applies what
 * was recorded, and each change of the inbox has a position by which readers go on. Nothing is asked of the owners, so it can be read
 * while they are away; a new source is a row of that table, and an event that its owner records.
 */
@NullMarked
package ai.molecule.events.inbox;

import org.jspecify.annotations.NullMarked;
