/**
 * The record of who did what, as it is read and kept (docs/wire/audit.md). The leader that numbers events links its rows ({@link
 * ai.molecule.events.audit.AuditChain}); what it says is told in pages and, for checking it elsewhere, as lines.
 */
@NullMarked
package ai.molecule.events.audit;

import org.jspecify.annotations.NullMarked;
