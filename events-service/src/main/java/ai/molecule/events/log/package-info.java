/**
 * Reading the event log: pages for {@code GET /events}, and rows by position for the hub. Deleting old rows is asked for by history, which knows what it still needs.
 */
@NullMarked
package ai.molecule.events.log;

import org.jspecify.annotations.NullMarked;
