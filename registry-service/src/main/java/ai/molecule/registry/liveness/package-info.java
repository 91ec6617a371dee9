/**
 * Who has fallen silent. Judged by the last heartbeat in PostgreSQL, by one replica at a time, never right after a pause.
 */
@NullMarked
package ai.molecule.registry.liveness;

import org.jspecify.annotations.NullMarked;
