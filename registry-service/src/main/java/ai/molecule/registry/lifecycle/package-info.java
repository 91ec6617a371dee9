/**
 * The one way a status changes: a table of legal transitions, intent written with its event, and telling the others after the commit.
 */
@NullMarked
package ai.molecule.registry.lifecycle;

import org.jspecify.annotations.NullMarked;
