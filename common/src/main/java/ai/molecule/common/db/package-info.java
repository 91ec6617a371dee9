/**
 * PostgreSQL. A {@link ai.molecule.common.db.Database} runs statements and transactions, each bounded, and gives a
 * {@link ai.molecule.common.db.Session} to who needs a connection of its own; both tell the sequencer by themselves when a commit showed
 * new events. {@link ai.molecule.common.db.Postgres} makes pools, migrates schemas and decides what a failure means to a caller.
 * {@link ai.molecule.common.db.SharedWindows} lets replicas count limits together where there is no Redis.
 */
@NullMarked
package ai.molecule.common.db;

import org.jspecify.annotations.NullMarked;
