/**
 * The record of who did what. Triggers on the tables append to it in the transaction of the change (db/log/V031__audit.sql), so there is
 * nothing to call. Here is what they cannot know: the {@link ai.molecule.common.audit.Actor}, whom a guard finds and a transaction then
 * names; what changes nothing and is recorded all the same ({@link ai.molecule.common.audit.PgAudit}, {@link
 * ai.molecule.common.audit.Refusals}); and how anybody checks what was recorded ({@link ai.molecule.common.audit.AuditChainCheck}).
 */
@NullMarked
package ai.molecule.common.audit;

import org.jspecify.annotations.NullMarked;
