/** An approval as the terminal shows it, and the decision on just that; who decides which, and who decided what. */
@NullMarked
package ai.molecule.cli.approvals;

import org.jspecify.annotations.NullMarked;
