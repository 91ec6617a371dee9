/**
 * {@code GET /workspaces/:id/events/stream}: one workspace's events as server-sent events.
 */
@NullMarked
package ai.molecule.events.streams;

import org.jspecify.annotations.NullMarked;
