/** What clients of the registry read of an approval: who decides it ({@link ai.molecule.common.approvals.ShownDeciders}). */
@NullMarked
package ai.molecule.common.approvals;

import org.jspecify.annotations.NullMarked;
