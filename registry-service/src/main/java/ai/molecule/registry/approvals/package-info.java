/**
 * Approvals: an agent asks before it does something, a person or its parent's agent hears of it, one decision counts. A request
 * that nobody decided within ten minutes is denied when the open ones are next looked at.
 */
@NullMarked
package ai.molecule.registry.approvals;

import org.jspecify.annotations.NullMarked;
