/**
 * {@code POST /workspaces/:id/notify}: an agent speaks to the user; shown live and kept as activity.
 */
@NullMarked
package ai.molecule.events.notify;

import org.jspecify.annotations.NullMarked;
