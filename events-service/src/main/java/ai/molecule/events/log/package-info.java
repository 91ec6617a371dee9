/**
 * Reading the event log: pages for {@code GET /events}, and rows by position for the hub. Nothing here writes.
 */
@NullMarked
package ai.molecule.events.log;

import org.jspecify.annotations.NullMarked;
